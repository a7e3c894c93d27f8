import { crc32, createInflateRaw, type InflateRaw } from 'node:zlib'
import { FairMutex } from '#concurrency/fair-mutex.ts'
import { free } from '#concurrency/pieces-of.ts'
import { yieldEventLoop } from '#concurrency/yield-event-loop.ts'
import { GzipHeader } from './gzip-header.ts'
import { UndecodableBlobError } from './undecodable-blob.ts'

/** CRC-32 and size of the content (RFC 1952 §2.3.1). */
const trailerBytes = 8
/** Inflates to at most 8 MB: about ten milliseconds of one thread. */
const pieceBytes = 8 * 1024
/** Larger chunks mean fewer callbacks on the event loop. */
const contentChunkBytes = 64 * 1024
/** Gzip may exceed twice its content by this much, so that small files pass. */
const excessBytesMax = 64 * 1024

/**
 * Passes a gzip stream through and inflates it: `onContent` receives the content in chunks that are valid until it
 * returns. Keeps a few chunks in memory. Holds `mutex` while it inflates a piece, never while it waits for `chunks`.
 * Accepts exactly one member without trailing bytes: zlib would continue, browsers stop after the first member, and a
 * visitor would see another page than was verified. Refuses gzip of empty blocks. Throws UndecodableBlobError, and what `chunks` or `onContent` throws.
 */
export async function* gunzipAlong(
  chunks: AsyncIterable<Uint8Array>,
  onContent: (chunk: Uint8Array) => void,
  mutex: Pick<FairMutex, 'use'> = new FairMutex(),
): AsyncGenerator<Uint8Array> {
  const header = new GzipHeader()
  using body = new GzipBody(onContent)
  for await (const chunk of chunks) {
    const rest = chunk.subarray(header.read(chunk))
    for (let at = 0; at < rest.byteLength; at += pieceBytes) {
      await mutex.use(() => body.write(rest.subarray(at, at + pieceBytes)))
      await body.assertNotHollow()
    }
    yield chunk
  }
  if (!header.isComplete) throw noGzip()
  await body.end()
}

/** The deflated content and the trailer. */
class GzipBody implements Disposable {
  readonly #inflate = createInflateRaw({ chunkSize: contentChunkBytes })
  readonly #inflated: Promise<Content>
  #isInflated = false
  #writtenBytes = 0
  #contentBytes = 0
  #tail = Buffer.alloc(0)

  constructor(onContent: (chunk: Uint8Array) => void) {
    this.#inflated = readContent(this.#inflate, (chunk) => {
      this.#contentBytes += chunk.byteLength
      onContent(chunk)
    })
    this.#inflated.then(
      () => (this.#isInflated = true),
      () => undefined, // awaited below; a failure must not count as unhandled meanwhile
    )
  }

  /** Resolves when all of it is inflated. */
  async write(chunk: Uint8Array): Promise<void> {
    this.#writtenBytes += chunk.byteLength
    this.#tail = Buffer.concat([this.#tail, chunk.subarray(-trailerBytes)]).subarray(-trailerBytes)
    const written = new Promise<void>((resolve) => this.#inflate.write(chunk, () => resolve()))
    // After the end of the content the stream accepts nothing; `#inflated` rejects with the meaning of a failure.
    await Promise.race([written.then(() => undefined), this.#inflated])
    if (this.#isInflated) this.#assertNoTrailingBytes()
  }

  /**
   * Empty blocks take a tenth of a microsecond a byte to inflate, and never reach the limit of the content. No compressor
   * makes gzip twice as large as its content.
   */
  async assertNotHollow(): Promise<void> {
    if (!this.#isHollow) return
    // Inflated chunks may still be on their way to `onContent`.
    await yieldEventLoop()
    if (!this.#isHollow) return
    throw new UndecodableBlobError('is gzip that is more than twice as large as its content')
  }

  get #isHollow(): boolean {
    return this.#writtenBytes > 2 * this.#contentBytes + excessBytesMax
  }

  async end(): Promise<void> {
    this.#inflate.end()
    const { crc, size } = await this.#inflated
    this.#assertNoTrailingBytes()
    if (this.#restBytes < trailerBytes) throw noGzip()
    if (this.#tail.readUInt32LE(0) !== crc || this.#tail.readUInt32LE(4) !== size) throw noGzip()
  }

  #assertNoTrailingBytes(): void {
    if (this.#restBytes > trailerBytes) {
      throw new UndecodableBlobError('has bytes after the end of its gzip stream')
    }
  }

  /** Bytes after the deflated content: zlib counts the bytes up to its end. */
  get #restBytes(): number {
    return this.#writtenBytes - this.#inflate.bytesWritten
  }

  [Symbol.dispose](): void {
    this.#inflate.destroy()
  }
}

interface Content {
  readonly crc: number
  /** Modulo 2^32, as in the trailer. */
  readonly size: number
}

async function readContent(
  inflate: InflateRaw,
  onContent: (chunk: Uint8Array) => void,
): Promise<Content> {
  let crc = 0
  let size = 0
  const chunks = (inflate as AsyncIterable<Buffer<ArrayBuffer>>)[Symbol.asyncIterator]()
  for (;;) {
    const { done, value: chunk } = await chunks.next().catch((cause) => {
      throw noGzip({ cause })
    })
    if (done) return { crc, size }
    crc = crc32(chunk, crc)
    size = (size + chunk.byteLength) >>> 0
    onContent(chunk)
    // A bomb inflates to 100 MB of chunks, which would otherwise wait for the garbage collector.
    if (chunk.byteLength === chunk.buffer.byteLength) free(chunk)
  }
}

const noGzip = (options?: ErrorOptions): UndecodableBlobError =>
  new UndecodableBlobError('is not the gzip stream that the manifest says', options)
