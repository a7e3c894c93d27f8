import { LruMap } from './lru-map.ts'

/** So much at once, and as much again in each `windowMs`, spread evenly over it. */
export interface Allowance {
  readonly count: number
  readonly windowMs: number
}

interface LimiterOptions {
  /** Milliseconds of a clock that never jumps: one that was put right would keep everybody waiting. */
  readonly now: () => number
  readonly keysMax?: number
}

/** Keys that a limiter remembers at most: some 5 MB. */
export const limitedKeysMax = 20_000

/**
 * Counts what each key does (GCRA: one number a key, which says when all it used will have come back). What is
 * refused does not count, so nobody is kept out by trying. Of more than `keysMax` keys, those that were not
 * used for longest are forgotten: with so many, an attacker does not need them twice.
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

  /** Takes one, if there is one: 0. Else the milliseconds until there will be. */
  take(key: string): number {
    const { count, windowMs } = this.#allowance
    const now = this.#now()
    const spentUntil = Math.max(this.#spentUntil.get(key) ?? 0, now) + windowMs / count
    const waitMs = spentUntil - now - windowMs
    // A thousandth: additions of fractions must not cost the last one.
    if (waitMs > 0.001) return waitMs
    this.#spentUntil.set(key, spentUntil)
    return 0
  }
}
