import type { Context } from 'hono'
import { createMiddleware } from 'hono/factory'
import { limitedThings, type RateLimitName } from '#api/contract/limits.ts'
import type { Route } from '#api/contract/route.ts'
import { routes } from '#api/contract/routes.ts'
import { RateLimiter } from '#concurrency/rate-limiter.ts'
import { clientNetworkOf, type TrustedProxies } from '#http/client-address.ts'
import type { Did } from '#site/site-address.ts'
import { ApiError } from './errors.ts'
import type { ApiEnv } from './variables.ts'

const windowMs = 10 * 60 * 1000

/** Requests in ten minutes. */
interface RateLimit {
  /** Of a client's network, which may be a school or a village. */
  readonly perClient: number
  /** Of an account, where one is signed in. */
  readonly perAccount?: number
}

/** What one client and one account may ask of us in ten minutes; beyond that, 429 (decisions.md §1). */
export const rateLimits = {
  /** Each asks the DNS, the directory and a server that somebody names. */
  signIn: { perClient: 60 },
  callback: { perClient: 120 },
  claim: { perClient: 200, perAccount: 30 },
  customAdd: { perClient: 300, perAccount: 150 },
  /** Each asks the DNS a few times. */
  verify: { perClient: 300, perAccount: 100 },
  /** By count; by bytes the spool refuses. */
  upload: { perClient: 2000, perAccount: 300 },
  /** Each reads a whole account from its server. */
  sync: { perClient: 100, perAccount: 20 },
  /** Each asks the account's server. */
  settings: { perClient: 600, perAccount: 200 },
  /** Each may be a megabyte. */
  list: { perClient: 2000, perAccount: 1000 },
  /** Each is everything that is here of an account. */
  export: { perClient: 100, perAccount: 30 },
} satisfies Record<RateLimitName, RateLimit>

export const limitedRoutes = (): readonly Route[] =>
  Object.values<Route>(routes).filter(({ limit }) => limit !== undefined)

interface LimitOptions {
  readonly trustedProxies: TrustedProxies
  readonly elapsed: () => number
}

/**
 * Counts requests for limited routes by their client, and leaves in `c.var.countAccount` what counts them by
 * account once that is known. Throws ApiError 429; people who follow a link are sent to the sign-in page, which tells
 * them.
 */
export function rateLimited(options: LimitOptions) {
  const counters = new Map(
    Object.entries<RateLimit>(rateLimits).map(([name, limit]) => [
      name,
      countersOf(limit, limitedThings[name as RateLimitName], options),
    ]),
  )
  const routeAt = limitedRouteOf()
  const links = linkPaths()
  return createMiddleware<ApiEnv>(async (c, next) => {
    // HEAD does all that GET does (Hono).
    const method = c.req.method === 'HEAD' ? 'GET' : c.req.method
    const route = routeAt(`${method} ${c.req.path}`)
    const counter = route?.limit === undefined ? undefined : counters.get(route.limit)
    if (route !== undefined && counter !== undefined) {
      if (route.failureShape === 'success') c.set('failureFields', { success: false })
      const waitMs = counter.waitMsOfClient(
        clientNetworkOf(c.req.raw, c.env?.server, options.trustedProxies),
      )
      // A person is on the way to a page, who would be shown JSON.
      const isFollowed = links.has(c.req.path) && c.req.header('accept')?.includes('text/html')
      if (waitMs > 0 && isFollowed) return toldOnPage(c, waitMs)
      counter.refuse(waitMs)
      c.set('countAccount', counter.countAccount)
    }
    return await next()
  })
}

/** The limited route of a method and a path, whatever stands there for the route's parameters. */
function limitedRouteOf(): (asked: string) => Route | undefined {
  const limited = limitedRoutes().map((route) => {
    const pattern = `^${route.method} ${route.path.replace(/:\w+/g, '[^/]+')}$`
    return { pattern: new RegExp(pattern), route }
  })
  return (asked) => limited.find(({ pattern }) => pattern.test(asked))?.route
}

/** Paths of limited routes that lead a browser on. */
const linkPaths = (): ReadonlySet<string> =>
  new Set(
    Object.values<Route>(routes).flatMap(({ method, path, answers, limit }) =>
      limit !== undefined && method === 'GET' && 302 in answers ? [path] : [],
    ),
  )

/** As every sign-in that fails (interface.md §4.1), with the reason. */
function toldOnPage(c: Context<ApiEnv>, waitMs: number): Response {
  c.header('retry-after', String(Math.ceil(waitMs / 1000)))
  return c.redirect('/?error=auth_failed&reason=too_many')
}

function countersOf({ perClient, perAccount }: RateLimit, what: string, { elapsed }: LimitOptions) {
  const limiterOf = (count: number) => new RateLimiter({ count, windowMs }, { now: elapsed })
  const clients = limiterOf(perClient)
  const accounts = perAccount === undefined ? undefined : limiterOf(perAccount)
  const refuse = (waitMs: number): void => {
    if (waitMs > 0) throw tooMany(`Too many ${what}.`, waitMs)
  }
  return {
    refuse,
    waitMsOfClient: (network: string) => clients.take(network),
    countAccount: (did: Did) => refuse(accounts?.take(did) ?? 0),
  }
}

/** 429 with a sentence and `Retry-After` that say when. */
export function tooMany(sentence: string, waitMs: number): ApiError {
  const seconds = Math.ceil(waitMs / 1000)
  const when = seconds < 90 ? `${seconds} seconds` : `${Math.ceil(seconds / 60)} minutes`
  return new ApiError(429, `${sentence} Try again in ${when}.`, { 'retry-after': String(seconds) })
}
