import { LruMap } from '#concurrency/lru-map.ts'
import { requestTarget } from '#edge/request-target.ts'
import { isTrustedProxy, type TrustedProxies } from '#http/client-address.ts'
import { canonicalHost } from './route.ts'

/** Which header fields of reverse proxies (fronts) are trusted. */
export interface Front {
  /** Only fields of these addresses count: other clients can send anything. */
  readonly isTrusted: (connection: string) => boolean
  /** The field with a visitor's country, such as `CF-IPCountry`; null: none. */
  readonly countryHeader: string | null
  /** Whether visitors who reached a front by http are redirected to https. */
  readonly redirectsToHttps: boolean
  /** The peer's address; null when the connection is gone. */
  readonly connectionOf: (request: Request) => string | null
}

/** Fronts are few, and to parse an address takes some µs. */
const connectionsMax = 1_000

/** Whether a connection comes from one of these, remembered. */
export function trustIn(trustedProxies: TrustedProxies): Front['isTrusted'] {
  const known = new LruMap<string, boolean>(connectionsMax)
  return (connection) => {
    const before = known.get(connection)
    if (before !== undefined) return before
    const isTrusted = isTrustedProxy(connection, trustedProxies)
    known.set(connection, isTrusted)
    return isTrusted
  }
}

/** The visitor's `Host`: as a trusted front reports it, else the request's own. */
export function visitedHost(request: Request, front: Front): string | null {
  const host = request.headers.get('host')
  const forwarded = request.headers.get('x-forwarded-host')
  if (forwarded === null || forwarded === host || !isFromFront(request, front)) return host
  return lastOf(forwarded)
}

/** ISO 3166-1 alpha-2, upper case; null without a trusted front that sends it. */
export function visitorCountry(request: Request, front: Front): string | null {
  const { countryHeader } = front
  const country = countryHeader === null ? null : request.headers.get(countryHeader)
  if (country === null || !/^[a-z]{2}$/i.test(country) || !isFromFront(request, front)) return null
  // Fronts send these when they do not know the country.
  return country.toUpperCase() === 'XX' ? null : country.toUpperCase()
}

/**
 * If configured, a redirect to https for a visitor who reached a trusted front by http. Null for everybody else, and
 * for the challenges of certificate authorities (RFC 8555 §8.3). `visited`: the result of `visitedHost`.
 */
export function httpsRedirect(
  request: Request,
  visited: string | null,
  front: Front,
): Response | null {
  if (!front.redirectsToHttps) return null
  const scheme = lastOf(request.headers.get('x-forwarded-proto') ?? '')
  if (scheme.toLowerCase() !== 'http' || !isFromFront(request, front)) return null
  const { pathname, search } = requestTarget(request.url)
  const host = canonicalHost(visited)
  if (host === null || pathname.startsWith('/.well-known/acme-challenge/')) return null
  const headers = { location: `https://${host}${pathname}${search}`, 'cache-control': 'no-store' }
  return new Response(null, { status: 308, headers })
}

// Of several values, the last, which the front added: clients can forge earlier ones.
const lastOf = (list: string): string => list.slice(list.lastIndexOf(',') + 1).trim()

const isFromFront = (request: Request, { connectionOf, isTrusted }: Front): boolean =>
  isTrusted(connectionOf(request) ?? '')
