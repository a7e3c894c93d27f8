import { MemoryTier } from './memory-tier.ts'

interface ExpiringOptions {
  readonly bytesMax: number
  readonly ttlMs: number
  /** Milliseconds of a monotonic clock. */
  readonly elapsed?: () => number
}

/**
 * A `MemoryTier` whose values are there for `ttlMs` after they were kept, however often they are used; what is over leaves memory
 * at most `ttlMs` later.
 */
export class ExpiringTier<Value> {
  readonly #tier: MemoryTier<{ readonly value: Value; readonly expiresAt: number }>
  readonly #ttlMs: number
  readonly #elapsed: () => number
  #sweep: ReturnType<typeof setTimeout> | null = null

  constructor({ bytesMax, ttlMs, elapsed = () => performance.now() }: ExpiringOptions) {
    this.#tier = new MemoryTier(bytesMax)
    this.#ttlMs = ttlMs
    this.#elapsed = elapsed
  }

  get(key: string): Value | undefined {
    const kept = this.#tier.use(this.#tier.find(key))
    return kept !== null && this.#elapsed() < kept.expiresAt ? kept.value : undefined
  }

  set(key: string, value: Value, { bytes, owner }: { bytes: number; owner: string }): void {
    this.#tier.keep(key, { value, expiresAt: this.#elapsed() + this.#ttlMs }, bytes, owner)
    this.#sweep ??= this.#sweepLater()
  }

  delete(key: string): void {
    this.#tier.forget(key)
  }

  deleteOwner(owner: string): void {
    this.#tier.forgetOwner(owner)
  }

  #sweepLater(): ReturnType<typeof setTimeout> {
    const sweep = setTimeout(() => {
      this.#tier.forgetWhere(({ expiresAt }) => expiresAt <= this.#elapsed())
      this.#sweep = this.#tier.stats.entries > 0 ? this.#sweepLater() : null
    }, this.#ttlMs)
    sweep.unref()
    return sweep
  }
}
