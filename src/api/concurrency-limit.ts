import {
  KeyedSemaphore,
  SemaphoreBusyError,
  type SemaphoreOptions,
} from '#concurrency/semaphore.ts'
import { ApiError } from './errors.ts'

interface LimitOptions extends SemaphoreOptions {
  /** Error message when the limit is exceeded. */
  readonly sentence: string
  readonly retryAfterSeconds: number
}

/** A semaphore per key, such as an account: requests without a permit get 429, or wait first with `waitingMax`. */
export class ConcurrencyLimit {
  readonly #semaphores: KeyedSemaphore
  readonly #options: LimitOptions

  constructor(options: LimitOptions) {
    this.#semaphores = new KeyedSemaphore({ waitingMax: 0, ...options })
    this.#options = options
  }

  /**
   * Dispose of the permit to release it; twice is harmless. `rank` as for a semaphore. Throws ApiError 429, and the
   * signal's reason.
   */
  async acquire(key: string, signal?: AbortSignal, rank?: () => number): Promise<Disposable> {
    try {
      return await this.#semaphores.acquire(key, signal, rank)
    } catch (error) {
      if (!(error instanceof SemaphoreBusyError)) throw error
      const { sentence, retryAfterSeconds } = this.#options
      throw new ApiError(429, sentence, { 'retry-after': String(retryAfterSeconds) })
    }
  }
}
