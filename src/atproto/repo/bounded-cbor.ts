import { decode } from '@atcute/cbor'

/** A manifest of 5000 entries, each with every field that there is, has fewer values, keys included. */
export const cborValuesMax = 200_000
/** A manifest of 32 directories in one another has a hundred: a list, an entry and a node for each. */
export const cborDepthMax = 200

/** Not CBOR, or not of this size. */
export class CborError extends Error {
  override readonly name = 'CborError'
  /** What there is more of than is read; null: it is not CBOR. */
  readonly limit: 'values' | 'depth' | null

  constructor(limit: CborError['limit'] = null, options?: ErrorOptions) {
    super(limit === null ? 'not CBOR' : messages[limit], options)
    this.limit = limit
  }
}

const messages = {
  values: `more than ${cborValuesMax} values`,
  depth: `more than ${cborDepthMax} values in one another`,
}

/** Decodes bytes that anybody may have written, in bounded time and memory. Throws CborError only. */
export function decodeCbor(bytes: Uint8Array): unknown {
  endOfCbor(bytes)
  try {
    return decode(bytes)
  } catch (cause) {
    throw new CborError(null, { cause })
  }
}

/**
 * Where the first value of these bytes ends. The decoder makes room for as many elements as a list says
 * that it has, if there are as many bytes left: 100 kB of lists in lists, each said to fill the rest, take
 * gigabytes. Here all that is claimed together has to fit in what is left. Throws CborError.
 */
export function endOfCbor(bytes: Uint8Array): number {
  const { length } = bytes
  let at = 0
  let values = 0
  let claimed = 1
  /** How many more values each of the lists and maps has that we are in. */
  const open = [1]
  while (open.length > 0) {
    if (claimed > length - at) throw new CborError()
    if (++values > cborValuesMax) throw new CborError('values')
    const head = bytes[at++] ?? 0
    const argumentBytes = argumentBytesOf(head & 0x1f)
    const argument = argumentBytes === 0 ? head & 0x1f : readUint(bytes, at, argumentBytes)
    at += argumentBytes
    const held = heldBy(head >> 5, argument)
    if (head >> 5 === bytesKind || head >> 5 === textKind) at += argument
    claimed += held - 1
    open[open.length - 1] = (open.at(-1) ?? 0) - 1
    if (held > 0) open.push(held)
    if (open.length > cborDepthMax) throw new CborError('depth')
    while (open.at(-1) === 0) open.pop()
  }
  if (at > length) throw new CborError()
  return at
}

/** How many values are in one of this kind. */
function heldBy(kind: number, argument: number): number {
  if (kind === listKind) return argument
  if (kind === mapKind) return 2 * argument
  return kind === tagKind ? 1 : 0
}

// RFC 8949 §3.1
const bytesKind = 2
const textKind = 3
const listKind = 4
const mapKind = 5
const tagKind = 6

/** Repositories hold nothing of unknown length (RFC 8949 §3.2). */
function argumentBytesOf(info: number): number {
  if (info < 24) return 0
  if (info > 27) throw new CborError()
  return 1 << (info - 24)
}

function readUint(bytes: Uint8Array, from: number, count: number): number {
  let value = 0
  for (let at = from; at < from + count; at++) value = value * 256 + (bytes[at] ?? 0)
  return value
}
