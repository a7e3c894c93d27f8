import { decode } from '@atcute/cbor'

/** A manifest of 5000 entries with every field has fewer values, including keys. */
export const cborValuesMax = 200_000
/** A manifest of 32 nested directories has about 100 levels: a list, an entry and a node for each. */
export const cborDepthMax = 200

/** Not CBOR, or over a limit. */
export class CborError extends Error {
  override readonly name = 'CborError'
  /** The exceeded limit; null: not CBOR. */
  readonly limit: 'values' | 'depth' | null

  constructor(limit: CborError['limit'] = null, options?: ErrorOptions) {
    super(limit === null ? 'not CBOR' : messages[limit], options)
    this.limit = limit
  }
}

const messages = {
  values: `more than ${cborValuesMax} values`,
  depth: `more than ${cborDepthMax} levels of nesting`,
}

/** Decodes untrusted bytes in bounded time and memory. Throws CborError only. */
export function decodeCbor(bytes: Uint8Array): unknown {
  endOfCbor(bytes)
  try {
    return decode(bytes)
  } catch (cause) {
    throw new CborError(null, { cause })
  }
}

/**
 * The offset at which the first value ends. The decoder allocates as many elements as a list claims, if as many
 * bytes are left: 100 kB of nested lists, each claiming the rest, allocate gigabytes. So the sum of all claims
 * must fit in the remaining bytes. Throws CborError.
 */
export function endOfCbor(bytes: Uint8Array): number {
  const { length } = bytes
  let at = 0
  let values = 0
  let claimed = 1
  /** Remaining values of each open list or map. */
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

/** The number of values inside a value of this kind. */
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

/** Repositories contain no indefinite lengths (RFC 8949 §3.2). */
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
