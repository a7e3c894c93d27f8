import { MemoryTier, type TierStats } from './memory-tier.ts'
import { SingleFlight } from './single-flight.ts'

export interface Loaded<Value> {
  readonly value: Value
  /** What the tier counts for it. */
  readonly bytes: number
  /** Limits how much of the tier one owner fills. */
  readonly owner?: string
}

/**
 * A read-through cache. The first `get` of a key loads its value in a single flight; the value stays in memory until it
 * is evicted. Misses are not cached: an attacker can make up any number of keys.
 */
export class LoadingTier<Value> {
  readonly #load: (key: string) => Promise<Loaded<Value> | null>
  readonly #tier: MemoryTier<Value>
  readonly #loading = new SingleFlight<string, Value | null>()

  constructor(bytesMax: number, load: (key: string) => Promise<Loaded<Value> | null>) {
    this.#load = load
    this.#tier = new MemoryTier(bytesMax)
  }

  get stats(): TierStats {
    return this.#tier.stats
  }

  values(): Generator<Value> {
    return this.#tier.values()
  }

  /** Synchronous when the value is in memory. */
  get(key: string): Value | Promise<Value | null> {
    const known = this.#tier.use(this.#tier.find(key))
    return known ?? this.#start(key)
  }

  /** Counts more bytes for this value if it is still in memory. */
  grow(key: string, value: Value, bytes: number): void {
    if (this.#tier.find(key)?.value === value) this.#tier.grow(key, bytes)
  }

  forget(key: string): void {
    this.#loading.forget(key)
    this.#tier.forget(key)
  }

  forgetAll(): void {
    this.#loading.forgetAll()
    this.#tier.forgetAll()
  }

  #start(key: string): Promise<Value | null> {
    return this.#loading.run(key, async (isCurrent) => {
      const loaded = await this.#load(key)
      if (loaded === null) return null
      // Forgotten meanwhile: callers from before the change get this value, later ones do not.
      const { value, bytes, owner } = loaded
      if (isCurrent()) this.#tier.keep(key, value, bytes, owner)
      return value
    })
  }
}
