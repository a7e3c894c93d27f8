import { MemoryTier, type TierStats } from './memory-tier.ts'
import { SingleFlight } from './single-flight.ts'

export interface Loaded<Value> {
  readonly value: Value
  /** As the tier is to count it. */
  readonly bytes: number
  /** Whose it is, where somebody could have too much of all. */
  readonly owner?: string
}

/**
 * A read-through cache. Values are loaded when they are first asked for: a single flight for each key, then in memory as
 * long as there is room. Nothing is not kept: there is no end of keys that stand for nothing.
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

  /** At once, without a promise, when it is in memory. */
  get(key: string): Value | Promise<Value | null> {
    const known = this.#tier.use(this.#tier.find(key))
    return known ?? this.#start(key)
  }

  /** Counts more bytes for this value, if it is still the one in memory. */
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
      // Forgotten meanwhile: good enough for those who asked before the change, not for later ones.
      const { value, bytes, owner } = loaded
      if (isCurrent()) this.#tier.keep(key, value, bytes, owner)
      return value
    })
  }
}
