import type { ApiContext } from '#api/context.ts'
import {
  certificateOf,
  customDomainRow,
  primaryOf,
  siteDomainRows,
} from '#api/routes/domains/domain-rows.ts'
import { isoOf, isoOrNull } from '#api/routes/iso-of.ts'
import { siteRow } from '#api/routes/site-row.ts'
import type { CertificateTotals } from '#certificates/certificate-states.ts'
import type { Did, SiteAddress } from '#site/site-address.ts'
import type { Account } from '#store/accounts/accounts.ts'
import { accountsByDid, liveSitesOf } from '#store/accounts/search-accounts.ts'
import { listTakedownsAmong, type Takedown } from '#store/moderation/takedowns.ts'
import { type CustomDomain, listCustomDomainsOf } from '#store/names/custom-domains.ts'
import type { ListedDomain } from '#store/names/search-domains.ts'
import { listSubdomainsOf } from '#store/names/subdomains.ts'
import type { Job } from '#store/queues/jobs.ts'
import { type findWorkItem, listUnreadSitesAmong } from '#store/queues/unread.ts'
import type { SiteState } from '#store/sites/search-sites.ts'
import { findSites } from '#store/sites/sites.ts'
import type { Version } from '#store/sites/versions.ts'

type RowContext = Pick<ApiContext, 'baseDomain' | 'certificates' | 'db' | 'siteUrl'>

/** At most a page of them, in this order; without those that were removed meanwhile. */
export async function adminSiteRows(sites: readonly SiteAddress[], context: RowContext) {
  const { db } = context
  const found = await findSites(db, sites)
  const accounts = await accountsByDid(db, didsOf(found))
  const unread = await listUnreadSitesAmong(db, sites)
  const takedowns = await listTakedownsAmong(db, found)
  const subdomains = await listSubdomainsOf(db, sites)
  const customDomains = await listCustomDomainsOf(db, sites)
  return found.map((site) => {
    const { did, name, refused } = site
    const isOwners = (row: { readonly did: Did }): boolean => row.did === did
    const failed = unread.find((item) => isOwners(item) && item.name === name)
    const domains = siteDomainRows(
      name,
      subdomains.filter(isOwners),
      customDomains.filter(isOwners),
    )
    const account = accounts.get(did)
    const isOffline = takedowns.some((row) => isOwners(row) && ['', name].includes(row.site))
    const isHidden = account !== undefined && account.status !== 'active'
    return {
      ...siteRow(site, failed, context),
      did,
      handle: account?.handle ?? null,
      domains,
      primary: primaryOf(domains),
      state: stateOf({ isOffline, isHidden, isRefused: refused !== null }),
      parked: failed?.nextAttemptAt === null,
    }
  })
}

interface ShownAs {
  readonly isOffline: boolean
  readonly isHidden: boolean
  readonly isRefused: boolean
}

function stateOf({ isOffline, isHidden, isRefused }: ShownAs): Exclude<SiteState, 'parked'> {
  if (isOffline) return 'offline'
  if (isHidden) return 'hidden'
  return isRefused ? 'refused' : 'live'
}

export async function adminCustomDomainRows(
  domains: readonly CustomDomain[],
  { baseDomain, db }: RowContext,
) {
  const accounts = await accountsByDid(db, didsOf(domains))
  return domains.map((domain) => ({
    ...customDomainRow(domain, baseDomain),
    did: domain.did,
    handle: accounts.get(domain.did)?.handle ?? null,
  }))
}

export async function adminDomainRows(
  domains: readonly ListedDomain[],
  { certificates, db }: RowContext,
) {
  const accounts = await accountsByDid(db, didsOf(domains))
  const states = (await certificates?.of(domains.map(({ domain }) => domain))) ?? null
  return domains.map(({ id, domain, did, site, verified, ...row }) => {
    const warnings = [row.ownershipWarning, row.pointingWarning].filter(Boolean)
    return {
      type: id === null ? ('sitehost' as const) : ('custom' as const),
      id,
      domain,
      did,
      handle: accounts.get(did)?.handle ?? null,
      rkey: site,
      verified,
      lastCheckedAt: isoOrNull(row.checkedAt),
      warning: warnings.length > 0 ? warnings.join(' ') : null,
      ...certificateOf(domain, states),
      createdAt: isoOf(row.createdAt),
    }
  })
}

export async function adminAccountRows(accounts: readonly Account[], { db }: RowContext) {
  const live = await liveSitesOf(db, didsOf(accounts))
  return accounts.map((account) => ({
    did: account.did,
    handle: account.handle,
    pds: account.pds,
    status: account.status,
    statusSince: isoOf(account.statusSince),
    sites: live.get(account.did)?.sites ?? 0,
    bytes: live.get(account.did)?.bytes ?? 0,
    createdAt: isoOf(account.createdAt),
    updatedAt: isoOf(account.updatedAt),
  }))
}

export async function adminJobRows(jobs: readonly Job[], { db }: RowContext) {
  const accounts = await accountsByDid(db, didsOf(jobs))
  return jobs.map(({ did, id, error, progress, site, status, ...job }) => ({
    id,
    did,
    handle: accounts.get(did)?.handle ?? null,
    rkey: site,
    status,
    error,
    files: progress.totalFiles,
    bytes: progress.bytesTotal,
    createdAt: isoOf(job.createdAt),
    startedAt: isoOrNull(job.startedAt),
    finishedAt: isoOrNull(job.finishedAt),
  }))
}

export const workItemRow = (item: Awaited<ReturnType<typeof findWorkItem>>) =>
  item === null
    ? null
    : {
        attempts: item.attempts,
        enqueuedAt: isoOf(item.enqueuedAt),
        nextAttemptAt: isoOrNull(item.nextAttemptAt),
        lastError: item.error,
      }

export const versionRow = ({ recordCid, ...version }: Version) => ({
  id: version.id,
  cid: recordCid,
  rev: version.rev,
  state: version.state,
  problems: version.problems,
  fileCount: version.fileCount,
  bytes: version.bytes,
  publishedAt: isoOf(version.publishedAt),
  seenAt: isoOf(version.seenAt),
  replacedAt: isoOrNull(version.replacedAt),
})

const didsOf = (rows: readonly { readonly did: Did }[]): Did[] => [
  ...new Set(rows.map(({ did }) => did)),
]

export const takedownRow = (takedown: Takedown | null) =>
  takedown && {
    scope: takedown.site === '' ? ('account' as const) : ('site' as const),
    status: takedown.status,
    reason: takedown.reason,
    actor: takedown.actor,
    at: isoOf(takedown.at),
  }

export const certificateTotals = ({ problems, soonestExpiry, states }: CertificateTotals) => ({
  states,
  problems: [...problems]
    .map(([kind, count]) => ({ kind, count }))
    .toSorted((one, other) => other.count - one.count),
  soonestExpiryAt: isoOrNull(soonestExpiry),
})
