import { onAbort } from './or-aborted.ts'

/** Too many callers wait for a permit, or this one has waited too long. */
export class SemaphoreBusyError extends Error {
  override readonly name = 'SemaphoreBusyError'
  /** What the permits are for, such as a host. */
  readonly key: string

  constructor(key: string) {
    super(`too many wait for this; key=${key}`)
    this.key = key
  }
}

export interface SemaphoreOptions {
  /** Most permits held at a time. */
  readonly max: number
  /** Most callers that wait; any further one gets a SemaphoreBusyError at once. */
  readonly waitingMax?: number
  /** Longest wait; then SemaphoreBusyError. */
  readonly waitMsMax?: number
  /** Named by the error. */
  readonly key?: string
}

interface Waiter {
  readonly admit: () => void
  readonly rank: (() => number) | undefined
}

/** At most `max` permits at a time; without ranks, in order of arrival. */
export class Semaphore {
  readonly #options: SemaphoreOptions
  readonly #waiting: Waiter[] = []
  #held = 0

  constructor(options: SemaphoreOptions) {
    this.#options = options
  }

  get waitingCount(): number {
    return this.#waiting.length
  }

  get isFree(): boolean {
    return this.#held === 0
  }

  /**
   * Resolves with a permit; disposing of it releases it and is idempotent. A freed permit goes to the waiting caller with
   * the lowest `rank`. Throws SemaphoreBusyError, and the signal's reason when it is aborted before a permit is free.
   */
  async acquire(signal?: AbortSignal, rank?: () => number): Promise<Disposable> {
    signal?.throwIfAborted()
    if (this.#held < this.#options.max) this.#held += 1
    else await this.#wait(signal, rank)
    let isHeld = true
    return {
      [Symbol.dispose]: () => {
        if (isHeld) this.#release()
        isHeld = false
      },
    }
  }

  /** Runs `work` with a permit and returns its result. Throws what `acquire` and `work` throw. */
  async use<Result>(work: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    using _ = await this.acquire(signal)
    return await work()
  }

  async #wait(signal: AbortSignal | undefined, rank: Waiter['rank']): Promise<void> {
    const waiting = this.#waiting
    const { key = '', waitingMax = Number.POSITIVE_INFINITY, waitMsMax } = this.#options
    if (waiting.length >= waitingMax) throw new SemaphoreBusyError(key)
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const waiter: Waiter = { admit: resolve, rank }
    const leave = (reason: unknown): void => {
      const at = waiting.indexOf(waiter)
      if (at === -1) return // it has just been admitted
      waiting.splice(at, 1)
      reject(reason)
    }
    const timer = waitMsMax && setTimeout(() => leave(new SemaphoreBusyError(key)), waitMsMax)
    waiting.push(waiter)
    using _ = onAbort(signal, leave)
    try {
      await promise
    } finally {
      clearTimeout(timer)
    }
  }

  // A permit goes straight to the next waiter: `#held` stays, so no later caller overtakes.
  #release(): void {
    const [next] = this.#waiting.splice(this.#nextAt(), 1)
    if (next === undefined) this.#held -= 1
    else next.admit()
  }

  #nextAt(): number {
    if (this.#waiting[0]?.rank === undefined) return 0
    const ranks = this.#waiting.map(({ rank }) => rank?.() ?? 0)
    return ranks.indexOf(Math.min(...ranks))
  }
}

/** One permit at a time. The number of waiters is unbounded: callers limit it. */
export class Mutex extends Semaphore {
  constructor() {
    super({ max: 1 })
  }
}

/** A semaphore for each key, such as a host or an account. */
export class KeyedSemaphore {
  readonly #options: Omit<SemaphoreOptions, 'key'>
  readonly #semaphores = new Map<string, Semaphore>()

  constructor(options: Omit<SemaphoreOptions, 'key'>) {
    this.#options = options
  }

  /** Like `Semaphore.acquire`. */
  async acquire(key: string, signal?: AbortSignal, rank?: () => number): Promise<Disposable> {
    signal?.throwIfAborted()
    const semaphore = this.#semaphores.get(key) ?? new Semaphore({ ...this.#options, key })
    this.#semaphores.set(key, semaphore)
    const permit = await semaphore.acquire(signal, rank)
    return {
      [Symbol.dispose]: () => {
        permit[Symbol.dispose]()
        // On a second dispose, the key may already have a new semaphore.
        const isCurrent = this.#semaphores.get(key) === semaphore
        if (isCurrent && semaphore.isFree) this.#semaphores.delete(key)
      },
    }
  }
}
