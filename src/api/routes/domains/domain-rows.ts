import type { CertificateRow } from '#api/contract/rows.ts'
import { isoOf, isoOrNull } from '#api/routes/iso-of.ts'
import { dnsRecordsFor } from '#domains/dns-records.ts'
import { zoneOf } from '#domains/domain-name.ts'
import { type CertificateState, certificateAdvice } from '#site/certificate-state.ts'
import type { SiteName } from '#site/site-name.ts'
import type { CustomDomain } from '#store/names/custom-domains.ts'
import type { Subdomain } from '#store/names/subdomains.ts'

/** Of hosts; null: not this service keeps certificates. */
export type HostCertificates = ReadonlyMap<string, CertificateState> | null

export function certificateRow(host: string, state: CertificateState): CertificateRow {
  const { detail, problem: kind, validUntil, nextTryAt } = state
  return {
    state: state.state,
    validUntil: isoOrNull(validUntil),
    nextTryAt: isoOrNull(nextTryAt),
    problem: kind && { kind, detail, advice: certificateAdvice[kind](host) },
  }
}

/** The field of a row; none where not this service keeps certificates. */
export function certificateOf(
  host: string,
  certificates: HostCertificates,
): { readonly certificate?: CertificateRow | null } {
  if (certificates === null) return {}
  const state = certificates.get(host)
  return { certificate: state === undefined ? null : certificateRow(host, state) }
}

export function customDomainRow(
  domain: CustomDomain,
  baseDomain: string,
  certificates: HostCertificates = null,
) {
  const { id, verified, site, checkedAt, createdAt, ownershipWarning, pointingWarning } = domain
  const warnings = [ownershipWarning, pointingWarning].filter(Boolean)
  return {
    id,
    domain: domain.domain,
    verified,
    rkey: site,
    lastCheckedAt: isoOrNull(checkedAt),
    createdAt: isoOf(createdAt),
    warning: warnings.length > 0 ? warnings.join(' ') : null,
    dns: dnsRecordsFor(domain, baseDomain),
    found: {
      txt: verified && ownershipWarning === null,
      cname: checkedAt !== null && pointingWarning === null,
    },
    lost: !verified && domain.confirmedAt !== null,
    zone: zoneOf(domain.domain),
    ...certificateOf(domain.domain, certificates),
  }
}

export const subdomainRow = ({ domain, site }: Subdomain) => ({ domain, rkey: site ?? '' })

/** The domains that lead to this site, out of all domains of its owner. */
export function siteDomainRows(
  name: SiteName,
  subdomains: readonly Subdomain[],
  customDomains: readonly CustomDomain[],
  certificates: HostCertificates = null,
) {
  return [
    ...subdomains
      .filter(({ site }) => site === name)
      .map((row) => ({ type: 'sitehost' as const, domain: row.domain, ...markOf(row) })),
    ...customDomains
      .filter(({ site }) => site === name)
      .map(({ domain, verified, id, isPrimary, pointingWarning }) => ({
        type: 'custom' as const,
        domain,
        verified,
        ...(pointingWarning !== null && { pointsHere: false as const }),
        ...certificateOf(domain, certificates),
        id,
        ...markOf({ isPrimary: isPrimary && verified }),
      })),
  ]
}

/** The name of a site's primary address; null: none that is served. */
export const primaryOf = (rows: ReturnType<typeof siteDomainRows>): string | null =>
  rows.find(({ primary }) => primary)?.domain ?? null

const markOf = ({ isPrimary }: { isPrimary: boolean }): { primary?: true } =>
  isPrimary ? { primary: true } : {}
