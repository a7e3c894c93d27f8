import { TtlMap } from './lru-map.ts'
import { type Kept, MemoryTier, type TierStats } from './memory-tier.ts'
import { SingleFlight } from './single-flight.ts'

export interface Loaded<Value> {
  readonly value: Value
  /** What the tier counts for it. */
  readonly bytes: number
  /** Limits how much of the tier one owner fills. */
  readonly owner?: string
}

/** `isCurrent`: the key was not forgotten since the load began. */
type Load<Value> = (key: string, isCurrent: () => boolean) => Promise<Loaded<Value> | null>

/** Misses that are remembered: an attacker can make up any number of keys. */
const missesMax = 10_000
/** For how long, even if nobody calls `forget`. */
export const missMs = 1_000

/**
 * A read-through cache. The first `get` of a key loads its value in a single flight; the value stays in memory until it
 * is evicted. That a key has no value is remembered for a second.
 */
export class LoadingTier<Value> {
  readonly #load: Load<Value>
  readonly #tier: MemoryTier<Value>
  readonly #loading = new SingleFlight<string, Value | null>()
  readonly #misses: TtlMap<string, Promise<null>>

  constructor(
    bytesMax: number,
    load: Load<Value>,
    elapsed: () => number = () => performance.now(),
  ) {
    this.#load = load
    this.#tier = new MemoryTier(bytesMax)
    this.#misses = new TtlMap({ max: missesMax, ttlMs: missMs, now: elapsed })
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
    return known ?? this.#misses.get(key) ?? this.#start(key)
  }

  /** What is in memory, without counting as a use. */
  protected known(key: string): Kept<Value> | undefined {
    return this.#tier.find(key)
  }

  /** Counts more bytes for this value if it is still in memory. */
  grow(key: string, value: Value, bytes: number): void {
    if (this.#tier.find(key)?.value === value) this.#tier.grow(key, bytes)
  }

  forget(key: string): void {
    this.#loading.forget(key)
    this.#misses.delete(key)
    this.#tier.forget(key)
  }

  forgetAll(): void {
    this.#loading.forgetAll()
    this.#misses.clear()
    this.#tier.forgetAll()
  }

  #start(key: string): Promise<Value | null> {
    return this.#loading.run(key, async (isCurrent) => {
      const loaded = await this.#load(key, isCurrent)
      // Forgotten meanwhile: callers from before the change get this value, later ones do not.
      if (loaded === null) {
        if (isCurrent()) this.#misses.set(key, noValue)
        return null
      }
      const { value, bytes, owner } = loaded
      if (isCurrent()) this.#tier.keep(key, value, bytes, owner)
      return value
    })
  }
}

const noValue = Promise.resolve(null)
