import type { Context } from 'hono'
import {
  limitWindowMs,
  type RateLimit,
  type RateLimitName,
  rateLimits,
} from '#api/contract/limits.ts'
import type { Route } from '#api/contract/route.ts'
import { RateLimiter } from '#concurrency/rate-limiter.ts'
import { clientNetworkOf, type TrustedProxies } from '#http/client-address.ts'
import type { Did } from '#site/site-address.ts'
import type { ApiContext, ApiEnv } from './context.ts'
import { ApiError } from './errors.ts'

/** Counts requests for routes with a limit, by client and by account. */
export class RateLimits {
  readonly #trustedProxies: TrustedProxies
  readonly #clients = new Map<string, RateLimiter>()
  readonly #accounts = new Map<string, RateLimiter>()

  constructor({ trustedProxies, elapsed }: Pick<ApiContext, 'elapsed' | 'trustedProxies'>) {
    this.#trustedProxies = trustedProxies
    const limiterOf = (count: number) =>
      new RateLimiter({ count, windowMs: limitWindowMs }, { now: elapsed })
    for (const [name, { perClient, perAccount }] of Object.entries<RateLimit>(rateLimits)) {
      this.#clients.set(name, limiterOf(perClient))
      if (perAccount !== undefined) this.#accounts.set(name, limiterOf(perAccount))
    }
  }

  /**
   * Throws ApiError 429 above the client's limit. For a browser's navigation, returns a redirect to the sign-in page
   * instead of a JSON error; that page shows the reason.
   */
  countClient({ answers, limit }: Route, c: Context<ApiEnv>): Response | null {
    if (limit === undefined) return null
    const network = clientNetworkOf(c.req.raw, c.env?.server, this.#trustedProxies)
    const waitMs = this.#clients.get(limit)?.take(network) ?? 0
    const isFollowed = 302 in answers && c.req.header('accept')?.includes('text/html')
    if (waitMs > 0 && isFollowed) return redirectToSignIn(c, waitMs)
    assertNoWait(limit, waitMs)
    return null
  }

  /** Throws ApiError 429 above the account's limit. */
  countAccount({ limit }: Route, did: Did): void {
    if (limit !== undefined) assertNoWait(limit, this.#accounts.get(limit)?.take(did) ?? 0)
  }
}

/** As for every failed sign-in (interface.md §4.1), with the reason. */
function redirectToSignIn(c: Context<ApiEnv>, waitMs: number): Response {
  c.header('retry-after', String(Math.ceil(waitMs / 1000)))
  return c.redirect('/?error=auth_failed&reason=too_many')
}

function assertNoWait(limit: RateLimitName, waitMs: number): void {
  if (waitMs > 0) throw tooMany(`Too many ${rateLimits[limit].what}.`, waitMs)
}

/** 429 with the waiting time in the sentence and in `Retry-After`. */
export function tooMany(sentence: string, waitMs: number): ApiError {
  const seconds = Math.ceil(waitMs / 1000)
  const when = seconds < 90 ? `${seconds} seconds` : `${Math.ceil(seconds / 60)} minutes`
  return new ApiError(429, `${sentence} Try again in ${when}.`, { 'retry-after': String(seconds) })
}
