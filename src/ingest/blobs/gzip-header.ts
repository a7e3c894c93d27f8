import { crc32 } from 'node:zlib'
import { UndecodableBlobError } from './undecodable-blob.ts'

/** Including extra fields, name and comment. */
export const gzipHeaderBytesMax = 64 * 1024

/** Flags, in the fourth byte. */
const headerCrc = 2
const extraField = 4
const fileName = 8
const comment = 16
const reserved = 0xe0

/** Reads the header of a gzip member (RFC 1952 §2.3) incrementally, as strictly as zlib: no reserved flags, a matching checksum. */
export class GzipHeader {
  isComplete = false
  readonly #bytes: number[] = []
  readonly #fields = readFields(this.#bytes)

  constructor() {
    this.#fields.next()
  }

  /** Takes the next bytes of the stream; returns how many of them belong to the header. */
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

/** Receives one byte per `next`; `bytes` has all of them so far. */
function* readFields(bytes: readonly number[]): Generator<undefined, void, number> {
  for (const expected of [0x1f, 0x8b, 8]) if ((yield) !== expected) refuse()
  const flags = yield
  if ((flags & reserved) !== 0) refuse()
  yield* skip(6) // modification time, compressor flags, operating system
  if (flags & extraField) yield* skip(yield* readUint16())
  if (flags & fileName) yield* skipString()
  if (flags & comment) yield* skipString()
  const crc = crc32(Uint8Array.from(bytes)) & 0xffff
  if (flags & headerCrc && (yield* readUint16()) !== crc) refuse()
}

function* skip(count: number): Generator<undefined, void, number> {
  for (let n = 0; n < count; n++) yield
}

/** Including its terminating zero. */
function* skipString(): Generator<undefined, void, number> {
  while ((yield) !== 0);
}

function* readUint16(): Generator<undefined, number, number> {
  const low = yield
  return low | ((yield) << 8)
}

function refuse(): never {
  throw new UndecodableBlobError('is not the gzip stream that the manifest says')
}
