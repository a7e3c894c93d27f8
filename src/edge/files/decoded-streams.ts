import { decodedStreamsMax, decodedStreamsOfClientMax } from '#site/limits.ts'
import { decode } from './decode.ts'
import { slowestReadMs } from './slowest-read.ts'

interface DecodedStreamsOptions {
  readonly slowestMs?: (bytes: number) => number
  readonly checkEveryMs?: number
}

/**
 * Stored gzip, decoded while a visitor reads it: for when the disk has no room for the decoded file. At most 32 at a
 * time, four of them for one client, and none for visitors who are too slow. Measured, each takes some 800 KB: pieces
 * of what is stored, and what zlib needs.
 */
export class DecodedStreams {
  readonly #slowestMs: (bytes: number) => number
  readonly #checkEveryMs: number
  /** The client of each. */
  readonly #open: string[] = []

  constructor({ slowestMs = slowestReadMs, checkEveryMs = 15_000 }: DecodedStreamsOptions = {}) {
    this.#slowestMs = slowestMs
    this.#checkEveryMs = checkEveryMs
  }

  /**
   * `busy`: there are 32, or four of this client. Reading rejects for what is damaged, and with SlowReaderError. To be read or cancelled; who
   * does neither is too slow in the end.
   */
  open(stored: Blob, bytes: number, client: string): ReadableStream<Uint8Array> | 'busy' {
    if (!this.#hasCapacityFor(client)) return 'busy'
    this.#open.push(client)
    const chunks = decode(stored, bytes)
    const began = performance.now()
    let taken = 0
    let hasEnded = false
    const end = (): void => {
      if (hasEnded) return
      hasEnded = true
      clearInterval(watch)
      this.#open.splice(this.#open.indexOf(client), 1)
      // It fails when what is stored is damaged, of which its reader has heard.
      chunks.return(undefined).catch(() => undefined)
    }
    let endSlowReader = end
    const watch = setInterval(() => {
      if (performance.now() - began > this.#slowestMs(taken)) endSlowReader()
    }, this.#checkEveryMs)
    const source: UnderlyingDefaultSource<Uint8Array> = {
      start(controller) {
        endSlowReader = () => {
          end()
          controller.error(new SlowReaderError(taken))
        }
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

/** A visitor took a decoded file too slowly, which others cannot get meanwhile. */
export class SlowReaderError extends Error {
  override readonly name = 'SlowReaderError'
  readonly takenBytes: number

  constructor(takenBytes: number) {
    super(`answer taken too slowly; bytes=${takenBytes}`)
    this.takenBytes = takenBytes
  }
}
