import { crc32, createInflateRaw, type InflateRaw } from 'node:zlib'
import { GzipHeader } from './gzip-header.ts'
import { UndecodableBlobError } from './undecodable-blob.ts'

/** CRC-32 and size of the content (RFC 1952 §2.3.1). */
const trailerBytes = 8

/**
 * Passes a gzip stream on while inflating it: `onContent` gets the content. Holds a few chunks at a time.
 * Exactly one member and nothing behind it: zlib would read on, browsers stop after the first, and a visitor
 * would see another page than the one that was verified. Throws UndecodableBlobError, and what `chunks` or
 * `onContent` throws.
 */
export async function* gunzipAlong(
  chunks: AsyncIterable<Uint8Array>,
  onContent: (chunk: Uint8Array) => void,
): AsyncGenerator<Uint8Array> {
  const header = new GzipHeader()
  using body = new GzipBody(onContent)
  for await (const chunk of chunks) {
    const rest = chunk.subarray(header.read(chunk))
    if (rest.byteLength > 0) await body.write(rest)
    yield chunk
  }
  if (!header.isComplete) throw noGzip()
  await body.end()
}

/** What follows the header: deflated content and the trailer. */
class GzipBody implements Disposable {
  readonly #inflate = createInflateRaw()
  readonly #inflated: Promise<Content>
  #isInflated = false
  #writtenBytes = 0
  #tail = Buffer.alloc(0)

  constructor(onContent: (chunk: Uint8Array) => void) {
    this.#inflated = readContent(this.#inflate, onContent)
    this.#inflated.then(
      () => (this.#isInflated = true),
      () => undefined, // awaited below; a failure must not count as unhandled meanwhile
    )
  }

  async write(chunk: Uint8Array): Promise<void> {
    this.#writtenBytes += chunk.byteLength
    this.#tail = Buffer.concat([this.#tail, chunk.subarray(-trailerBytes)]).subarray(-trailerBytes)
    if (!this.#inflate.write(chunk)) {
      await Promise.race([drained(this.#inflate), this.#inflated])
    }
    if (this.#isInflated) this.#assertNothingBehind()
  }

  async end(): Promise<void> {
    this.#inflate.end()
    const { crc, size } = await this.#inflated
    this.#assertNothingBehind()
    if (this.#behindBytes < trailerBytes) throw noGzip()
    if (this.#tail.readUInt32LE(0) !== crc || this.#tail.readUInt32LE(4) !== size) throw noGzip()
  }

  #assertNothingBehind(): void {
    if (this.#behindBytes > trailerBytes) {
      throw new UndecodableBlobError('has bytes after the end of its gzip stream')
    }
  }

  /** Those after the deflated content: zlib stops at its end, and counts what it took up to there. */
  get #behindBytes(): number {
    return this.#writtenBytes - this.#inflate.bytesWritten
  }

  [Symbol.dispose](): void {
    this.#inflate.destroy()
  }
}

interface Content {
  readonly crc: number
  /** Modulo 2^32, as the trailer has it. */
  readonly size: number
}

async function readContent(
  inflate: InflateRaw,
  onContent: (chunk: Uint8Array) => void,
): Promise<Content> {
  let crc = 0
  let size = 0
  const chunks = (inflate as AsyncIterable<Buffer>)[Symbol.asyncIterator]()
  for (;;) {
    const { done, value: chunk } = await chunks.next().catch((cause) => {
      throw noGzip({ cause })
    })
    if (done) return { crc, size }
    crc = crc32(chunk, crc)
    size = (size + chunk.byteLength) >>> 0
    onContent(chunk)
  }
}

// Not `events.once`: it fails with zlib's own error, before `#inflated` has said what that means.
async function drained(inflate: InflateRaw): Promise<void> {
  await new Promise((resolve) => inflate.once('drain', resolve))
}

const noGzip = (options?: ErrorOptions): UndecodableBlobError =>
  new UndecodableBlobError('is not the gzip stream that the manifest says', options)
