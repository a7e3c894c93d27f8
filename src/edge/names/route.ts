import { LruMap } from '#concurrency/lru-map.ts'

/** Where a Host header leads. */
export type Route =
  | { readonly kind: 'application' }
  | SiteHost
  | NamedHost
  /** `sites.{base_domain}`: sites by their owner and name. */
  | { readonly kind: 'addresses' }
  | { readonly kind: 'base' }
  | { readonly kind: 'bad-host' }

export interface SiteHost {
  readonly kind: 'site'
  /** Canonical: lower case, without port and trailing dot. */
  readonly host: string
  /** The site's own: `s--…`. */
  readonly label: string
  /** Whether others' sites share its domain. */
  readonly isUnderBaseDomain: boolean
}

/** A claimed name, somebody's own domain, or one that leads nowhere: only the store knows. */
export interface NamedHost {
  readonly kind: 'named'
  /** Canonical: lower case, without port and trailing dot. */
  readonly host: string
  readonly isUnderBaseDomain: boolean
}

interface RoutedHosts {
  /** Host of `BASE_URL`, without its port. */
  readonly applicationHost: string
  readonly baseDomain: string
}

const hostCharsMax = 253
const rememberedMax = 20_000

/**
 * `routeHost` that remembers what it said last, for as many Host headers as there may be busy sites: where
 * one leads depends on nothing else.
 */
export function createRouter(hosts: RoutedHosts): (header: string | null) => Route {
  const known = new LruMap<string, Route>(rememberedMax)
  return (header) => {
    const route = known.get(header ?? '')
    if (route !== undefined) return route
    const found = routeHost(header, hosts)
    // Others would be any text that anybody sends.
    if (header !== null && found.kind === 'site') known.set(header, found)
    return found
  }
}

/** Never throws. Two Host lines arrive joined by a comma, which no host name holds. */
export function routeHost(header: string | null, hosts: RoutedHosts): Route {
  const host = canonicalHost(header)
  if (host === null) return { kind: 'bad-host' }
  if (host === hosts.applicationHost) return { kind: 'application' }
  if (host === hosts.baseDomain) return { kind: 'base' }
  const suffix = `.${hosts.baseDomain}`
  const isUnderBaseDomain = host.endsWith(suffix)
  const label = isUnderBaseDomain ? host.slice(0, -suffix.length) : ''
  if (label === 'sites') return { kind: 'addresses' }
  const isOwn = /^s--[a-z2-7]{26}$/.test(label)
  return isOwn
    ? { kind: 'site', host, label, isUnderBaseDomain }
    : { kind: 'named', host, isUnderBaseDomain }
}

/** Lower case, without port and trailing dot; letters, digits, hyphens and dots only, or `[::1]`. */
export function canonicalHost(header: string | null): string | null {
  if (header === null || header.length > hostCharsMax + 7) return null
  const host = header
    // The port may be empty (RFC 3986 §3.2.3).
    .replace(/:\d{0,5}$/, '')
    .replace(/\.$/, '')
    .toLowerCase()
  if (host === '[::1]') return host
  return /^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/.test(host) && !host.includes('..') ? host : null
}
