import { ApiError } from './errors.ts'

interface AtOnceOptions {
  /** Of one key. */
  readonly max: number
  /** What whoever has too many is told. */
  readonly sentence: string
  readonly retryAfterSeconds: number
}

/** Counts what goes on by key, such as an account, so that nobody has too much of it at once. */
export class AtOnce {
  readonly #counts = new Map<string, number>()
  readonly #options: AtOnceOptions

  constructor(options: AtOnceOptions) {
    this.#options = options
  }

  /** Dispose of it when that has ended; twice is harmless. Throws ApiError 429. */
  enter(key: string): Disposable {
    const { max, sentence, retryAfterSeconds } = this.#options
    const count = this.#counts.get(key) ?? 0
    if (count >= max) {
      throw new ApiError(429, sentence, { 'retry-after': String(retryAfterSeconds) })
    }
    this.#counts.set(key, count + 1)
    const entered = new DisposableStack()
    entered.defer(() => this.#leave(key))
    return entered
  }

  #leave(key: string): void {
    const count = (this.#counts.get(key) ?? 1) - 1
    if (count === 0) this.#counts.delete(key)
    else this.#counts.set(key, count)
  }
}
