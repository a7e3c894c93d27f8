import { LruMap } from '#concurrency/lru-map.ts'
import { Mutex } from '#concurrency/semaphore.ts'
import { SingleFlight } from '#concurrency/single-flight.ts'
import { compress, type MadeCoding } from '#http/compress.ts'
import type { Log } from '#observe/log.ts'
import { type Bodies, type BodySource, bodyKey, bodyKeysOf } from './bodies.ts'

type StoredSource = BodySource & { readonly storedBytes: number }

const waitingMax = 100
const notWorthItMax = 10_000

/** Minimum saving over the stored bytes for a coding that we make. */
const savingMin = 0.03

interface RecompressorContext {
  readonly bodies: Bodies
  readonly log: Log
}

/**
 * Recompresses bodies in the background, one at a time and off the event loop, and keeps them in memory. Bounded:
 * requests beyond the queue are dropped, until the next one.
 */
export class Recompressor {
  readonly #context: RecompressorContext
  readonly #mutex = new Mutex()
  readonly #making = new SingleFlight<string, void>()
  /** Bodies that did not get smaller; not tried again soon. */
  readonly #notWorthIt = new LruMap<string, true>(notWorthItMax)
  #last: Promise<void> | undefined

  constructor(context: RecompressorContext) {
    this.#context = context
  }

  /** Never throws or blocks. */
  ask(source: StoredSource, coding: MadeCoding): void {
    const key = bodyKey(source, coding)
    if (this.#notWorthIt.get(key) || this.#making.has(key)) return
    if (this.#making.size >= waitingMax) return
    const make = async (isCurrent: () => boolean): Promise<void> => {
      try {
        if (!(await this.#make(source, coding, isCurrent))) this.#notWorthIt.set(key, true)
      } catch (error) {
        this.#context.log.warn('body not recompressed', { key, error })
      }
    }
    this.#last = this.#making.run(key, (isCurrent) => this.#mutex.use(() => make(isCurrent)))
  }

  /** Keeps nothing of the bodies that are being made of these stored bytes. */
  forget(hash: string): void {
    for (const key of bodyKeysOf(hash)) this.#making.forget(key)
  }

  forgetAll(): void {
    this.#making.forgetAll()
  }

  /** Resolves when the queue is empty. */
  async idle(): Promise<void> {
    await this.#last
  }

  async #make(
    source: StoredSource,
    coding: MadeCoding,
    isCurrent: () => boolean,
  ): Promise<boolean> {
    const { bodies } = this.#context
    const decoded = await bodies.read(source, 'identity')
    // Visitors' requests fetch missing blobs; recompression can wait.
    if (decoded === null) return true
    const made = await compress[coding](decoded)
    if (made.length > source.storedBytes * (1 - savingMin)) return false
    if (isCurrent()) bodies.keep(source, coding, new Blob([made]))
    return true
  }
}
