import { timeSlices } from '#concurrency/yield-event-loop.ts'

/** Limits for JSON that is parsed synchronously, in the thread that serves visitors. */
export interface JsonLimits {
  readonly bytesMax: number
  /** A parsed value takes about 80 bytes. */
  readonly valuesMax: number
  /** Distinct field names. A thousand new ones take the engine 1 ms (Bun 1.4.5). */
  readonly namesMax: number
}

/** Untrusted JSON is over a limit. */
export class JsonLimitError extends Error {
  override readonly name = 'JsonLimitError'
  readonly limit: 'bytes' | 'values' | 'names'

  constructor(limit: JsonLimitError['limit']) {
    super(`JSON of too many ${limit}`)
    this.limit = limit
  }
}

/** The bytes of one list or object, with counts of its contents. */
export interface JsonPiece {
  readonly bytes: Uint8Array
  /** An upper estimate, a few too high. */
  readonly values: number
  /** Distinct field names, counted up to 2000. */
  readonly names: number
}

const namesCounted = 2000
/** Scanned between two checks whether to yield. */
const bytesPerStep = 64 * 1024

interface ScanOptions {
  /** Lists and objects nested this deep are cut out. */
  readonly depth: number
  /** Limit of the remaining outer text. */
  readonly outerBytesMax: number
}

/**
 * Splits a JSON string into its outer levels and the deeper pieces, in order. The outer text contains `[n]` in
 * place of piece n. Parses nothing: linear in the bytes, and yields to the event loop. Throws JsonLimitError, and
 * SyntaxError for a string that ends too early.
 */
export async function scanJson(
  bytes: Uint8Array,
  { depth, outerBytesMax }: ScanOptions,
): Promise<{ outer: JsonPiece; inner: readonly JsonPiece[] }> {
  const scan = new JsonScan(bytes, depth, outerBytesMax)
  const yieldWhenDue = timeSlices()
  for (let at = 0; at < bytes.length; at += bytesPerStep) {
    scan.read(at, Math.min(at + bytesPerStep, bytes.length))
    await yieldWhenDue()
  }
  return { outer: scan.end(), inner: scan.inner }
}

/** Throws JsonLimitError, and SyntaxError for invalid JSON. */
export function parsePiece(piece: JsonPiece, limits: JsonLimits): unknown {
  assertWithin(limits, piece)
  return JSON.parse(new TextDecoder().decode(piece.bytes))
}

/** Parses a JSON string as a whole. Throws as `parsePiece` does. */
export async function parseBoundedJson(bytes: Uint8Array, limits: JsonLimits): Promise<unknown> {
  return parsePiece(await scanWhole(bytes, limits), limits)
}

/** The same response, read and checked, for callers that parse it themselves. Throws JsonLimitError. */
export async function boundedJson(response: Response, limits: JsonLimits): Promise<Response> {
  if (response.body === null) return response
  const bytes = new Uint8Array(await response.arrayBuffer())
  assertWithin(limits, await scanWhole(bytes, limits))
  return new Response(bytes, response)
}

async function scanWhole(bytes: Uint8Array, { bytesMax }: JsonLimits): Promise<JsonPiece> {
  if (bytes.length > bytesMax) throw new JsonLimitError('bytes')
  return (await scanJson(bytes, { depth: Infinity, outerBytesMax: bytesMax })).outer
}

function assertWithin(limits: JsonLimits, { bytes, values, names }: JsonPiece): void {
  if (bytes.length > limits.bytesMax) throw new JsonLimitError('bytes')
  if (values > limits.valuesMax) throw new JsonLimitError('values')
  if (names > limits.namesMax) throw new JsonLimitError('names')
}

const [quote, backslash, colon, comma] = [0x22, 0x5c, 0x3a, 0x2c]
const [listBegin, listEnd, objectBegin, objectEnd] = [0x5b, 0x5d, 0x7b, 0x7d]

/** Random, so that nobody can prepare names that collide. */
const seed = crypto.getRandomValues(new Int32Array(1))[0] ?? 0

class JsonScan {
  readonly inner: JsonPiece[] = []
  readonly #bytes: Uint8Array
  readonly #depthOfPieces: number
  readonly #outerBytesMax: number
  readonly #outer: Uint8Array[] = []
  #outerBytes = 0
  readonly #outerCount = { values: 0, names: new Set<number>() }
  #count = this.#outerCount
  /** Start of the current piece, or of the outer text not yet kept. */
  #from = 0
  #depth = 0
  #isInString = false
  #isEscaped = false
  #hash = seed

  constructor(bytes: Uint8Array, depth: number, outerBytesMax: number) {
    this.#bytes = bytes
    this.#depthOfPieces = depth
    this.#outerBytesMax = outerBytesMax
  }

  // Local variables: fields are several times slower here.
  read(from: number, to: number): void {
    const bytes = this.#bytes
    let [isInString, isEscaped, hash] = [this.#isInString, this.#isEscaped, this.#hash]
    for (let at = from; at < to; at++) {
      const byte = bytes[at] ?? 0
      if (isInString) {
        if (isEscaped) isEscaped = false
        else if (byte === backslash) isEscaped = true
        else if (byte === quote) {
          isInString = false
          continue
        }
        hash = Math.imul(hash ^ byte, 0x5bd1e995)
        hash ^= hash >>> 15
      } else if (byte === quote) {
        isInString = true
        hash = seed
      } else if (byte === comma) this.#count.values += 1
      else if (byte === colon) this.#addName(hash)
      else if (byte === listBegin || byte === objectBegin) this.#open(at)
      else if (byte === listEnd || byte === objectEnd) this.#close(at)
    }
    this.#isInString = isInString
    this.#isEscaped = isEscaped
    this.#hash = hash
  }

  end(): JsonPiece {
    if (this.#depth > this.#depthOfPieces) throw new SyntaxError('ends too early')
    this.#keep(this.#bytes.length)
    return pieceOf(Buffer.concat(this.#outer), this.#outerCount)
  }

  #open(at: number): void {
    if (this.#depth++ === this.#depthOfPieces) {
      this.#keep(at)
      this.#keepBytes(Buffer.from(`[${this.inner.length}]`))
      this.#count = { values: 0, names: new Set() }
      this.#from = at
    }
    this.#count.values += 1
  }

  #close(at: number): void {
    if (--this.#depth !== this.#depthOfPieces) return
    this.inner.push(pieceOf(this.#bytes.subarray(this.#from, at + 1), this.#count))
    this.#count = this.#outerCount
    this.#from = at + 1
  }

  #addName(hash: number): void {
    if (this.#count.names.size <= namesCounted) this.#count.names.add(hash)
  }

  #keep(to: number): void {
    this.#keepBytes(this.#bytes.subarray(this.#from, to))
  }

  #keepBytes(bytes: Uint8Array): void {
    this.#outerBytes += bytes.length
    if (this.#outerBytes > this.#outerBytesMax) throw new JsonLimitError('bytes')
    this.#outer.push(bytes)
  }
}

const pieceOf = (
  bytes: Uint8Array,
  { values, names }: { readonly values: number; readonly names: ReadonlySet<number> },
): JsonPiece => ({ bytes, values, names: names.size })
