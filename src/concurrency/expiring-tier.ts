import { MemoryTier } from './memory-tier.ts'

interface ExpiringOptions {
  readonly bytesMax: number
  readonly ttlMs: number
  /** Milliseconds of a monotonic clock. */
  readonly elapsed?: () => number
}

/** A `MemoryTier` whose entries leave memory `ttlMs` after they were kept, however often they are used. */
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

  set(key: string, value: Value, bytes: number): void {
    this.#tier.keep(key, { value, expiresAt: this.#elapsed() + this.#ttlMs }, bytes)
    this.#sweep ??= this.#sweepLater()
  }

  delete(key: string): void {
    this.#tier.forget(key)
  }

  clear(): void {
    this.#tier.forgetAll()
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
