import { decodedStreamsMax, decodedStreamsOfClientMax } from '#site/limits.ts'
import { decode } from './decode.ts'
import { slowestReadMs } from './slowest-read.ts'

interface DecodedStreamsOptions {
  readonly slowestMs?: (bytes: number) => number
  readonly checkEveryMs?: number
}

/**
 * Decodes stored gzip while a visitor reads it, for when the disk has no space for the decoded file or decoding to a
 * file would take too long. At most 32 at a time, four per client; slow readers are cut off. Measured: about 800 KB
 * each, stored chunks and zlib.
 */
export class DecodedStreams {
  readonly #slowestMs: (bytes: number) => number
  readonly #checkEveryMs: number
  /** The client of each open stream. */
  readonly #open: string[] = []

  constructor({ slowestMs = slowestReadMs, checkEveryMs = 15_000 }: DecodedStreamsOptions = {}) {
    this.#slowestMs = slowestMs
    this.#checkEveryMs = checkEveryMs
  }

  /**
   * `busy`: the limit, or that of the client, is reached. Reading rejects with SlowReaderError, and if the stored
   * bytes are damaged. A stream that is neither read nor cancelled ends as too slow.
   */
  open(stored: Blob, bytes: number, client: string): ReadableStream<Uint8Array> | 'busy' {
    if (!this.#hasCapacityFor(client)) return 'busy'
    this.#open.push(client)
    const chunks = decode(stored, bytes)
    const began = performance.now()
    let taken = 0
    let hasEnded = false
    let timer: Timer | undefined
    const end = (): void => {
      if (hasEnded) return
      hasEnded = true
      clearInterval(timer)
      this.#open.splice(this.#open.indexOf(client), 1)
      // Fails if the stored bytes are damaged; the reader has got that error.
      chunks.return(undefined).catch(() => undefined)
    }
    const source: UnderlyingDefaultSource<Uint8Array> = {
      start: (controller) => {
        timer = setInterval(() => {
          if (performance.now() - began <= this.#slowestMs(taken)) return
          end()
          controller.error(new SlowReaderError(taken))
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
            taken += value.length
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

  #hasCapacityFor(client: string): boolean {
    if (this.#open.length >= decodedStreamsMax) return false
    return this.#open.filter((other) => other === client).length < decodedStreamsOfClientMax
  }
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
