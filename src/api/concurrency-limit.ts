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

/** A semaphore for each key, such as an account, which answers 429 to whoever gets no permit. Nobody waits unless told so. */
export class ConcurrencyLimit {
  readonly #semaphores: KeyedSemaphore
  readonly #options: LimitOptions

  constructor(options: LimitOptions) {
    this.#semaphores = new KeyedSemaphore({ waitingMax: 0, ...options })
    this.#options = options
  }

  /** Dispose of it to give it back; twice is harmless. Throws ApiError 429, and the signal's reason. */
  async acquire(key: string, signal?: AbortSignal): Promise<Disposable> {
    try {
      return await this.#semaphores.acquire(key, signal)
    } catch (error) {
      if (!(error instanceof SemaphoreBusyError)) throw error
      const { sentence, retryAfterSeconds } = this.#options
      throw new ApiError(429, sentence, { 'retry-after': String(retryAfterSeconds) })
    }
  }
}
