import { backoff } from '#concurrency/backoff.ts'
import { TtlMap } from '#concurrency/lru-map.ts'
import { limitedKeysMax, RateLimiter } from '#concurrency/rate-limiter.ts'
import type { Allowance } from '#concurrency/token-bucket.ts'

const minuteMs = 60_000
const freeTries = 5
const delayMsMax = 15 * minuteMs
/** Without jitter: the error message names the delay. */
const delayMs = backoff({ min: 2_000, max: delayMsMax, jitter: 0 })
const forgottenAfterMs = 60 * minuteMs
/** Attempts of one network, for all names. */
const networkTries: Allowance = { count: 20, windowMs: 10 * minuteMs }
/** Attempts for one name by strangers; above it, each network has one per quarter of an hour. */
const nameTries: Allowance = { count: 50, windowMs: 60 * minuteMs }

export interface SignInTry {
  /** As typed; it may be unknown. */
  readonly name: string
  readonly network: string
  /** Id of a browser in which this name has signed in before; null: a stranger's. */
  readonly device: string | null
}

interface Tries {
  readonly count: number
  readonly nextAt: number
}

/**
 * Slows down password guessing without locking administrators out. Attempts are counted by name *and* network, with
 * a delay that doubles each time; a name under attack from many networks gets fewer attempts per network, but never
 * none, so other networks cannot lock its owner out. Browsers in which the name has signed in before are counted
 * separately, so that not even their own network can.
 */
export class SignInDelays {
  readonly #now: () => number
  readonly #tries: TtlMap<string, Tries>
  readonly #networks: RateLimiter
  readonly #names: RateLimiter

  /** `now`: monotonic milliseconds. */
  constructor({ now }: { readonly now: () => number }) {
    this.#now = now
    this.#tries = new TtlMap({ max: limitedKeysMax, ttlMs: forgottenAfterMs, now })
    this.#networks = new RateLimiter(networkTries, { now })
    this.#names = new RateLimiter(nameTries, { now })
  }

  /** Counts an attempt, as failed, and returns 0; or returns the milliseconds to wait. */
  begin(tried: SignInTry): number {
    const now = this.#now()
    const key = keyOf(tried)
    const tries = this.#tries.get(key) ?? none
    if (tries.nextAt > now) return tries.nextAt - now
    const waitMs = tried.device === null ? this.#networks.take(tried.network) : 0
    if (waitMs > 0) return waitMs
    const isBesieged = tried.device === null && this.#names.take(tried.name) > 0
    const count = tries.count + 1
    this.#tries.set(key, { count, nextAt: now + delayAfter(count, isBesieged) })
    return 0
  }

  succeeded(tried: SignInTry): void {
    this.#tries.delete(keyOf(tried))
  }
}

const none: Tries = { count: 0, nextAt: 0 }

const keyOf = ({ name, network, device }: SignInTry): string =>
  device === null ? `${name} ${network}` : `${name} device ${device}`

function delayAfter(count: number, isBesieged: boolean): number {
  if (isBesieged) return delayMsMax
  if (count < freeTries) return 0
  return delayMs(count - freeTries)
}
