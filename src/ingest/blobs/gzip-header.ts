import { crc32 } from 'node:zlib'
import { UndecodableBlobError } from './undecodable-blob.ts'

/** Extra fields, a name and a comment included. */
export const gzipHeaderBytesMax = 64 * 1024

/** Bits of the fourth byte. */
const headerCrc = 2
const extraField = 4
const fileName = 8
const comment = 16
const reserved = 0xe0

/**
 * The header of a gzip member (RFC 1952 §2.3), read as its bytes come; its texts are skipped. As strict as
 * zlib: reserved flags must be unset, and a checksum of the header must hold.
 */
export class GzipHeader {
  isComplete = false
  readonly #bytes: number[] = []
  readonly #fields = readFields(this.#bytes)

  constructor() {
    this.#fields.next()
  }

  /** How many of these bytes, which follow those of the last call, are the header's; it may end before. */
  read(chunk: Uint8Array): number {
    for (const [at, byte] of chunk.entries()) {
      if (this.isComplete) return at
      if (this.#bytes.length === gzipHeaderBytesMax) refuse()
      this.#bytes.push(byte)
      this.isComplete = this.#fields.next(byte).done === true
    }
    return chunk.length
  }
}

/** Takes one byte after the other; `bytes` are those so far. */
function* readFields(bytes: readonly number[]): Generator<undefined, void, number> {
  for (const expected of [0x1f, 0x8b, 8]) if ((yield) !== expected) refuse()
  const flags = yield
  if ((flags & reserved) !== 0) refuse()
  yield* skip(6) // time, wakeUps of the compressor, its system
  if (flags & extraField) yield* skip(yield* readUint16())
  if (flags & fileName) yield* skipText()
  if (flags & comment) yield* skipText()
  const crc = crc32(Uint8Array.from(bytes)) & 0xffff
  if (flags & headerCrc && (yield* readUint16()) !== crc) refuse()
}

function* skip(count: number): Generator<undefined, void, number> {
  for (let n = 0; n < count; n++) yield
}

/** Through its closing zero. */
function* skipText(): Generator<undefined, void, number> {
  while ((yield) !== 0);
}

function* readUint16(): Generator<undefined, number, number> {
  const low = yield
  return low | ((yield) << 8)
}

function refuse(): never {
  throw new UndecodableBlobError('is not the gzip stream that the manifest says')
}
