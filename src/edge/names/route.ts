import { LruMap } from '#concurrency/lru-map.ts'
import { parsePreviewLabel } from '#site/preview-label.ts'
import type { Shows } from '#site/visit/place.ts'

/** Where a Host header leads. */
export type Route =
  | { readonly kind: 'application' }
  | SiteHost
  | NamedHost
  | PreviewHost
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
  /** The site's own, `s--…`, or the one of a version, `v--…`. */
  readonly label: string
  readonly shows: Shows
}

/** A subdomain, a custom domain, or a name that leads nowhere: only the store knows. */
export interface NamedHost extends Host {
  readonly kind: 'named'
}

/** `<alias>--<name>.{base_domain}`: only the store knows whether there is such a preview. */
export interface PreviewHost extends Host {
  readonly kind: 'preview'
  readonly alias: string
  /** The name that it is below: a subdomain with its base domain, or a site's own label. */
  readonly name: string
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
  // No subdomain has two hyphens in a row.
  if (!host.includes('--')) return { kind: 'named', host, isUnderBaseDomain }
  if (/^[sv]--[a-z2-7]{26}$/.test(label)) {
    const shows = label.startsWith('s') ? 'live' : 'version'
    return { kind: 'site', host, label, isUnderBaseDomain, shows }
  }
  const preview = parsePreviewLabel(label)
  if (preview === null) return { kind: 'named', host, isUnderBaseDomain }
  const { alias, of } = preview
  // Nobody can claim the name of another owner's site.
  const name = /^[a-z2-7]{26}$/.test(of) ? `s--${of}` : of + suffix
  return { kind: 'preview', host, alias, name, isUnderBaseDomain }
}

/** Whether a `Host` names this canonical host. */
export const isHost = (header: string | null, host: string): boolean =>
  header === host || canonicalHost(header) === host

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
