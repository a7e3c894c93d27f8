import { LruMap } from './lru-map.ts'
import { Mutex } from './semaphore.ts'

const ownersMax = 10_000
/** An owner that has held the mutex for a millisecond comes after owners that begin to wait within this time. */
const debtMsPerHeldMs = 10

/**
 * A mutex that is fair by time: each owner is entitled to a tenth of it. Of those who wait, it admits the one that has
 * waited longest, counted from when its owner's debt was worked off. Neither owners that use much nor newcomers, however
 * many, delay an owner that uses little.
 */
export class FairMutex {
  readonly #now: () => number
  readonly #mutex = new Mutex()
  /** When each owner's debt is worked off. */
  readonly #clearAt = new LruMap<string, number>(ownersMax)

  constructor({ now = () => performance.now() }: { readonly now?: () => number } = {}) {
    this.#now = now
  }

  /** Like `Mutex.use`. An abort while waiting for the mutex rejects with the signal's reason. */
  async use<Result>(
    work: () => Promise<Result>,
    owner = '',
    signal?: AbortSignal,
  ): Promise<Result> {
    const since = this.#now()
    using _ = await this.#mutex.acquire(signal, () => this.#clearFrom(owner, since))
    const from = this.#now()
    try {
      return await work()
    } finally {
      const heldMs = this.#now() - from
      this.#clearAt.set(owner, this.#clearFrom(owner, from) + heldMs * debtMsPerHeldMs)
    }
  }

  #clearFrom(owner: string, time: number): number {
    return Math.max(time, this.#clearAt.get(owner) ?? time)
  }
}
