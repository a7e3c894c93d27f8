import { decode } from '#blobs/decode.ts'
import { BytePace } from '#concurrency/byte-pace.ts'
import {
  decodedStreamsMax,
  decodedStreamsOfClientMax,
  givesWayBytesPerSecondMax,
  readerBytesPerSecondMin,
} from '#site/limits.ts'
import { slowestReadMs } from './slowest-read.ts'

interface DecodedStreamsOptions {
  readonly slowestMs?: (bytes: number) => number
  readonly checkEveryMs?: number
  /** A monotonic clock. */
  readonly now?: () => number
}

interface OpenStream {
  readonly client: string
  readonly pace: BytePace
  /** Ends it with SlowReaderError. */
  readonly cutOff: () => void
}

/** The time that we need to produce the bytes counts, too. */
const paceOptions = { windowMs: 30_000, graceMs: 3_000 }
/** A client's only stream is not cut off for others before this age. */
const onlyStreamMsMin = 30_000

/**
 * Decodes stored gzip while a visitor reads it, for when the disk has no space for the decoded file or decoding to a
 * file would take too long. At most 32 at a time, four per client; slow readers are cut off, earlier if others wait.
 * Measured: about 800 KB each, stored chunks and zlib.
 */
export class DecodedStreams {
  readonly #slowestMs: (bytes: number) => number
  readonly #checkEveryMs: number
  readonly #now: () => number
  readonly #open = new Set<OpenStream>()

  constructor({
    slowestMs = slowestReadMs,
    checkEveryMs = 15_000,
    now = () => performance.now(),
  }: DecodedStreamsOptions = {}) {
    this.#slowestMs = slowestMs
    this.#checkEveryMs = checkEveryMs
    this.#now = now
  }

  /**
   * `busy`: the limit, or that of the client, is reached. Reading rejects with SlowReaderError, and if the stored
   * bytes are damaged. A stream that is neither read nor cancelled ends as too slow.
   */
  open(stored: Blob, bytes: number, client: string): ReadableStream<Uint8Array> | 'busy' {
    if (!this.#makeSpaceFor(client)) return 'busy'
    const chunks = decode(stored, bytes)
    const pace = new BytePace({ ...paceOptions, elapsed: this.#now })
    let opened: OpenStream | undefined
    let hasEnded = false
    let timer: Timer | undefined
    const end = (): void => {
      if (hasEnded) return
      hasEnded = true
      clearInterval(timer)
      if (opened !== undefined) this.#open.delete(opened)
      // Fails if the stored bytes are damaged; the reader has got that error.
      chunks.return(undefined).catch(() => undefined)
    }
    const source: UnderlyingDefaultSource<Uint8Array> = {
      start: (controller) => {
        const cutOff = (): void => {
          end()
          controller.error(new SlowReaderError(pace.bytes))
        }
        opened = { client, pace, cutOff }
        this.#open.add(opened)
        timer = setInterval(() => {
          pace.endWindow()
          if (pace.elapsedMs > this.#slowestMs(pace.bytes)) cutOff()
        }, this.#checkEveryMs)
      },
      async pull(controller) {
        try {
          const { done, value } = await chunks.next()
          if (hasEnded) return
          if (done) {
            end()
            controller.close()
          } else {
            pace.endWindow()
            pace.add(value.length)
            controller.enqueue(value)
          }
        } catch (error) {
          end()
          controller.error(error)
        }
      },
      cancel: end,
    }
    return new ReadableStream(source, { highWaterMark: 0 })
  }

  /**
   * Whether this client may open a stream. If all are open, cuts off a slow one of another client: of those with the
   * most streams, the slowest.
   */
  #makeSpaceFor(client: string): boolean {
    const own = this.#countOf(client)
    if (own >= decodedStreamsOfClientMax) return false
    if (this.#open.size < decodedStreamsMax) return true
    const [slowest] = [...this.#open]
      .filter((other) => other.client !== client && this.#givesWay(other, own))
      .sort(
        (a, b) =>
          this.#countOf(b.client) - this.#countOf(a.client) ||
          bytesPerSecondOf(a) - bytesPerSecondOf(b),
      )
    slowest?.cutOff()
    return slowest !== undefined
  }

  /** To a client that has this many streams. */
  #givesWay(stream: OpenStream, count: number): boolean {
    const bytesPerSecond = bytesPerSecondOf(stream)
    // After a difference of one, the two clients would take the same stream from each other in turn.
    if (this.#countOf(stream.client) >= count + 2) return bytesPerSecond < givesWayBytesPerSecondMax
    return stream.pace.elapsedMs >= onlyStreamMsMin && bytesPerSecond < readerBytesPerSecondMin
  }

  #countOf(client: string): number {
    return [...this.#open].filter((other) => other.client === client).length
  }
}

/** Infinite at the very beginning. */
function bytesPerSecondOf({ pace }: OpenStream): number {
  // A reader that takes nothing ends no window.
  pace.endWindow()
  return pace.bytesPerSecond ?? Number.POSITIVE_INFINITY
}

/** A visitor read too slowly and blocked others. */
export class SlowReaderError extends Error {
  override readonly name = 'SlowReaderError'
  readonly takenBytes: number

  constructor(takenBytes: number) {
    super(`answer taken too slowly; bytes=${takenBytes}`)
    this.takenBytes = takenBytes
  }
}
