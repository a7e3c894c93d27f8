import { type DnsRecords, dnsRecordsFor } from '#domains/dns-records.ts'
import type { SiteName } from '#site/site-name.ts'
import type { CustomDomain } from '#store/custom-domains.ts'
import type { Subdomain } from '#store/subdomains.ts'

/** A custom domain as its owner sees it (decisions.md §6). Times are ISO 8601. */
export interface CustomDomainRow {
  readonly id: string
  readonly domain: string
  readonly verified: boolean
  readonly rkey: string | null
  readonly lastCheckedAt: string | null
  readonly createdAt: string
  /** What its owner should look after, in a sentence or two. */
  readonly warning: string | null
  readonly dns: DnsRecords
}

export function customDomainRow(domain: CustomDomain, baseDomain: string): CustomDomainRow {
  const { id, verified, site, checkedAt, createdAt } = domain
  const warnings = [domain.ownershipWarning, domain.pointingWarning].filter(Boolean)
  return {
    ...{ id, domain: domain.domain, verified, rkey: site },
    lastCheckedAt: checkedAt === null ? null : isoOf(checkedAt),
    createdAt: isoOf(createdAt),
    warning: warnings.length > 0 ? warnings.join(' ') : null,
    dns: dnsRecordsFor(domain, baseDomain),
  }
}

export interface SubdomainRow {
  readonly domain: string
  /** Empty while it is unmapped. */
  readonly rkey: string
}

export const subdomainRow = ({ domain, site }: Subdomain): SubdomainRow => ({
  ...{ domain, rkey: site ?? '' },
})

/** A domain of one site. */
export type SiteDomainRow =
  | { readonly type: 'sitehost'; readonly domain: string }
  | {
      readonly type: 'custom'
      readonly domain: string
      readonly verified: boolean
      readonly id: string
    }

/** Of all domains of its owner those that lead to this site. */
export function siteDomainRows(
  name: SiteName,
  subdomains: readonly Subdomain[],
  customDomains: readonly CustomDomain[],
): SiteDomainRow[] {
  return [
    ...subdomains
      .filter(({ site }) => site === name)
      .map(({ domain }) => ({ type: 'sitehost' as const, domain })),
    ...customDomains
      .filter(({ site }) => site === name)
      .map(({ domain, verified, id }) => ({ type: 'custom' as const, domain, verified, id })),
  ]
}

const isoOf = (at: number): string => new Date(at).toISOString()
