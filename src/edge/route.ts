/** Where a Host header leads. */
export type Route =
  | { readonly kind: 'application' }
  | { readonly kind: 'site'; readonly label: string }
  | { readonly kind: 'base' }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'bad-host' }

interface RoutedHosts {
  /** Host of `BASE_URL`, without its port. */
  readonly applicationHost: string
  readonly baseDomain: string
}

const hostCharsMax = 253

/** Never throws. Two Host lines arrive joined by a comma, which no host name holds. */
export function routeHost(header: string | null, hosts: RoutedHosts): Route {
  const host = canonicalHost(header)
  if (host === null) return { kind: 'bad-host' }
  if (host === hosts.applicationHost) return { kind: 'application' }
  if (host === hosts.baseDomain) return { kind: 'base' }
  const suffix = `.${hosts.baseDomain}`
  const label = host.endsWith(suffix) ? host.slice(0, -suffix.length) : ''
  return /^s--[a-z2-7]{26}$/.test(label) ? { kind: 'site', label } : { kind: 'unknown' }
}

/** Lower case, without port and trailing dot; letters, digits, hyphens and dots only, or `[::1]`. */
export function canonicalHost(header: string | null): string | null {
  if (header === null || header.length > hostCharsMax + 7) return null
  const host = header
    .replace(/:\d{1,5}$/, '')
    .replace(/\.$/, '')
    .toLowerCase()
  if (host === '[::1]') return host
  return /^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/.test(host) && !host.includes('..') ? host : null
}
