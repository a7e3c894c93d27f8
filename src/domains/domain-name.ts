import { domainToASCII } from 'node:url'
import { parse } from 'tldts'

/** Leaves space for the prefix `_sitehost.` (RFC 1035 §3.1). */
const domainCharsMax = 253 - '_sitehost.'.length

/**
 * Normalises a domain for storage and comparison: lower case, A-labels, no trailing dot. Null for a string that is not
 * a host name of letters, digits and hyphens.
 */
export function foldDomain(input: string): string | null {
  // `domainToASCII` is made for URLs: it would cut off a path and decode percent signs.
  if (/[^a-z0-9.-]/i.test(input.replace(/[^\0-\x7f]/g, ''))) return null
  const domain = domainToASCII(input).replace(/\.$/, '')
  const isName = domain.length <= domainCharsMax && domain.split('.').every(isHostLabel)
  return isName ? domain : null
}

const isHostLabel = (label: string): boolean =>
  /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/.test(label) && label.length <= 63

export type DomainRefusal = 'not-a-domain' | 'public-suffix' | 'special-use' | 'ours'

type CustomDomainName =
  | { readonly ok: true; readonly domain: string }
  | { readonly ok: false; readonly reason: DomainRefusal }

/** Hosts that cannot be custom domains. */
export interface OwnHosts {
  readonly applicationHost: string
  /** Including all subdomains. */
  readonly baseDomain: string
}

/** Accepts domains that can be registered, by the public suffix list, and are not ours. */
export function parseCustomDomain(
  input: string,
  { applicationHost, baseDomain }: OwnHosts,
): CustomDomainName {
  const domain = foldDomain(input)
  // The application may be at an address itself, as in `demo`.
  if (domain === null || parse(domain, publicSuffixes).isIp) {
    return { ok: false, reason: 'not-a-domain' }
  }
  if (domain === applicationHost || domain === baseDomain || domain.endsWith(`.${baseDomain}`)) {
    return { ok: false, reason: 'ours' }
  }
  const reason = refusalOf(domain)
  return reason === null ? { ok: true, domain } : { ok: false, reason }
}

/** Whether it is a registrable domain, without a subdomain. */
export const isApex = (domain: string): boolean => zoneOf(domain) === domain

/** The registrable domain that it is below or is: what its owner manages at a DNS provider. */
export const zoneOf = (domain: string): string => parse(domain, publicSuffixes).domain ?? domain

/**
 * The registrable domain that the application shares with the sites under `baseDomain`; null: none. Browsers let a page
 * of one of its hosts set cookies for the others.
 */
export function sharedDomain(applicationHost: string, baseDomain: string): string | null {
  const { domain } = parse(applicationHost, publicSuffixes)
  // The base domain may itself be a public suffix: then every site is a registrable domain.
  const ofSites = parse(`site.${baseDomain}`, publicSuffixes).domain
  return domain === ofSites ? domain : null
}

// Private suffixes count: `alice.github.io` belongs to alice, `github.io` cannot be claimed.
const publicSuffixes = { allowPrivateDomains: true, extractHostname: false }

/** Top-level names that the suffix list may contain: https://www.iana.org/assignments/special-use-domain-names */
const specialUse = /\.(alt|arpa|example|internal|invalid|local|localhost|onion|test)$/

function refusalOf(domain: string): DomainRefusal | null {
  const found = parse(domain, publicSuffixes)
  if (specialUse.test(`.${domain}`)) return 'special-use'
  // For a suffix that is not in the list the parser returns the last label.
  if (!found.isIcann && !found.isPrivate) return 'not-a-domain'
  return found.domain === null ? 'public-suffix' : null
}
