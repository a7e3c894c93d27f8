import { LruMap } from './lru-map.ts'
import { Mutex } from './semaphore.ts'

const ownersMax = 10_000
const forgetEveryMs = 60 * 60_000
/** An owner that has held the mutex for a millisecond comes after owners that begin to wait within this time. */
const waitPerHeldMs = 10

/**
 * A mutex that is fair by time, with aging: of those who wait, it admits the one whose owner has held it for the least
 * time within the hour; of these the first. Waiting makes up for holding, so that newcomers, however many, starve nobody.
 */
export class FairMutex {
  readonly #now: () => number
  readonly #mutex = new Mutex()
  #heldMs = new LruMap<string, number>(ownersMax)
  #countedSince: number

  constructor({ now = () => performance.now() }: { readonly now?: () => number } = {}) {
    this.#now = now
    this.#countedSince = now()
  }

  /** Like `Mutex.use`. An abort while waiting for the mutex rejects with the signal's reason. */
  async use<Result>(
    work: () => Promise<Result>,
    owner = '',
    signal?: AbortSignal,
  ): Promise<Result> {
    const since = this.#now()
    using _ = await this.#mutex.acquire(signal, () => since + this.#heldBy(owner) * waitPerHeldMs)
    const from = this.#now()
    try {
      return await work()
    } finally {
      this.#heldMs.set(owner, this.#heldBy(owner) + this.#now() - from)
    }
  }

  #heldBy(owner: string): number {
    if (this.#now() - this.#countedSince >= forgetEveryMs) {
      this.#heldMs = new LruMap(ownersMax)
      this.#countedSince = this.#now()
    }
    return this.#heldMs.get(owner) ?? 0
  }
}
