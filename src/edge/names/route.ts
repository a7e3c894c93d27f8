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

interface Host {
  /** Canonical: lower case, without port and trailing dot. */
  readonly host: string
  /** Whether other owners' sites share its domain. */
  readonly isUnderBaseDomain: boolean
}

export interface SiteHost extends Host {
  readonly kind: 'site'
  /** The site's own: `s--…`. */
  readonly label: string
}

/** A subdomain, a custom domain, or a name that leads nowhere: only the store knows. */
export interface NamedHost extends Host {
  readonly kind: 'named'
}

export interface RoutedHosts {
  /** Host of `BASE_URL`, without its port. */
  readonly applicationHost: string
  readonly baseDomain: string
}

const hostCharsMax = 253
const rememberedMax = 20_000

/** `routeHost` with an LRU cache, for as many Host headers as there may be busy sites. */
export function createRouter(hosts: RoutedHosts): (header: string | null) => Route {
  const known = new LruMap<string, Route>(rememberedMax)
  return (header) => {
    const route = known.get(header ?? '')
    if (route !== undefined) return route
    const found = routeHost(header, hosts)
    // Clients can make up any other name.
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
