import { LruMap } from './lru-map.ts'
import { type Allowance, spentAfterOne, waitUntilSpendable } from './token-bucket.ts'

interface LimiterOptions {
  /** Milliseconds of a monotonic clock: after a corrected clock every key would have to wait. */
  readonly now: () => number
  readonly keysMax?: number
}

/** Most keys that a limiter remembers: about 5 MB. */
export const limitedKeysMax = 20_000

/**
 * A token bucket for each key. Rejected requests do not count, so retrying does not extend the wait. Beyond `keysMax` keys,
 * the least recently used are forgotten: an attacker with that many keys does not need one twice.
 */
export class RateLimiter {
  readonly #spentUntil: LruMap<string, number>
  readonly #allowance: Allowance
  readonly #now: () => number

  constructor(allowance: Allowance, { now, keysMax = limitedKeysMax }: LimiterOptions) {
    this.#allowance = allowance
    this.#now = now
    this.#spentUntil = new LruMap(keysMax)
  }

  /** Takes one and returns 0, or returns the milliseconds until one is available. */
  take(key: string): number {
    const { spentUntil, waitMs } = this.#next(key)
    if (waitMs === 0) this.#spentUntil.set(key, spentUntil)
    return waitMs
  }

  /** What `take` would return; takes none. */
  waitMs(key: string): number {
    return this.#next(key).waitMs
  }

  /** How long until the key has its whole allowance again; 0 for one that took none recently. */
  spentMs(key: string): number {
    return Math.max(0, (this.#spentUntil.get(key) ?? 0) - this.#now())
  }

  #next(key: string): { readonly spentUntil: number; readonly waitMs: number } {
    const now = this.#now()
    const spentUntil = spentAfterOne(this.#spentUntil.get(key) ?? 0, now, this.#allowance)
    return { spentUntil, waitMs: waitUntilSpendable(spentUntil, now, this.#allowance) }
  }
}
