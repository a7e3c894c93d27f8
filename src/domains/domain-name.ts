import { domainToASCII } from 'node:url'
import { parse } from 'tldts'

/** The longest that `_sitehost.` still fits in front of (RFC 1035 §3.1). */
const domainCharsMax = 253 - '_sitehost.'.length

/**
 * A domain as it is stored and compared: lower case, in A-labels, without the trailing dot. Null for what is
 * no host name of letters, digits and hyphens.
 */
export function foldDomain(input: string): string | null {
  // The standard's function is made for URLs: it would take off a path, and decode percent signs.
  if (/[^a-z0-9.-]/i.test(input.replace(/[^\0-\x7f]/g, ''))) return null
  const domain = domainToASCII(input).replace(/\.$/, '')
  const isName = domain.length <= domainCharsMax && domain.split('.').every(isHostLabel)
  return isName ? domain : null
}

const isHostLabel = (label: string): boolean =>
  /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/.test(label) && label.length <= 63

export type DomainRefusal = 'not-a-domain' | 'public-suffix' | 'special-use' | 'ours'

export type CustomDomainName =
  | { readonly ok: true; readonly domain: string }
  | { readonly ok: false; readonly reason: DomainRefusal }

/** Hosts that nobody may add. */
export interface OwnHosts {
  readonly applicationHost: string
  /** With everything below it. */
  readonly baseDomain: string
}

/** A domain that somebody can own, by the public suffix list, and that is not this service's. */
export function parseCustomDomain(
  input: string,
  { applicationHost, baseDomain }: OwnHosts,
): CustomDomainName {
  const domain = foldDomain(input)
  if (domain === null) return { ok: false, reason: 'not-a-domain' }
  if (domain === applicationHost || domain === baseDomain || domain.endsWith(`.${baseDomain}`)) {
    return { ok: false, reason: 'ours' }
  }
  const reason = refusalOf(domain)
  return reason === null ? { ok: true, domain } : { ok: false, reason }
}

/** Whether it is what somebody registers, with nothing in front. */
export function isApex(domain: string): boolean {
  return parse(domain, publicSuffixes).domain === domain
}

/**
 * The domain that somebody registered and that the application and the sites below `baseDomain` have in common;
 * null: none. Browsers let pages of one host in it set cookies for the others.
 */
export function sharedDomain(applicationHost: string, baseDomain: string): string | null {
  const { domain } = parse(applicationHost, publicSuffixes)
  // The base domain itself may be a public suffix: then every site below it is a domain of its own.
  const ofSites = parse(`site.${baseDomain}`, publicSuffixes).domain
  return domain === ofSites ? domain : null
}

// Private suffixes count: `alice.github.io` belongs to alice, `github.io` to nobody here.
const publicSuffixes = { allowPrivateDomains: true, extractHostname: false }

/** https://www.iana.org/assignments/special-use-domain-names: those that the list of suffixes names, or may. */
const specialUse = new Set([
  ...['alt', 'arpa', 'example', 'internal', 'invalid', 'local', 'localhost', 'onion', 'test'],
])

function refusalOf(domain: string): DomainRefusal | null {
  const found = parse(domain, publicSuffixes)
  if (found.isIp) return 'not-a-domain'
  if (specialUse.has(domain.slice(domain.lastIndexOf('.') + 1))) return 'special-use'
  // What the list does not name is no public domain; for such it gives its last label as the suffix.
  if (!found.isIcann && !found.isPrivate) return 'not-a-domain'
  return found.domain === null ? 'public-suffix' : null
}
