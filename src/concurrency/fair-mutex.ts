import { Mutex } from './semaphore.ts'

/** An owner that has held the mutex for a millisecond comes after owners that begin to wait within this time. */
const debtMsPerHeldMs = 100
/** Longest time by which others may come first, however long the owner has held it. */
const debtMsMax = 10_000

/**
 * A mutex that favours short work, such as one site's blobs: of those who wait, it admits the one that has waited
 * longest, counted from when its owner's debt was worked off. An owner is one piece of work; a new one has no debt.
 */
export class FairMutex {
  readonly #now: () => number
  readonly #mutex = new Mutex()
  /** When each owner's debt is worked off. */
  readonly #clearAt = new WeakMap<object, number>()

  constructor({ now = () => performance.now() }: { readonly now?: () => number } = {}) {
    this.#now = now
  }

  /** Like `Mutex.use`. An abort while waiting for the mutex rejects with the signal's reason. */
  async use<Result>(
    work: () => Promise<Result>,
    owner: object = {},
    signal?: AbortSignal,
  ): Promise<Result> {
    const since = this.#now()
    using _ = await this.#mutex.acquire(signal, () => this.#clearFrom(owner, since))
    const from = this.#now()
    try {
      return await work()
    } finally {
      const now = this.#now()
      const clearAt = this.#clearFrom(owner, from) + (now - from) * debtMsPerHeldMs
      this.#clearAt.set(owner, Math.min(clearAt, now + debtMsMax))
    }
  }

  #clearFrom(owner: object, time: number): number {
    return Math.max(time, this.#clearAt.get(owner) ?? time)
  }
}
