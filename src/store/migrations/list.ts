import type { Migration } from 'kysely'
import { firstTables } from './0001-first-tables.ts'
import { uploadedBlobs } from './0002-uploaded-blobs.ts'
import { jobsWriting } from './0003-jobs-writing.ts'
import { sitesAnew } from './0004-sites-anew.ts'
import { domains } from './0005-domains.ts'
import { accountsAndGarbage } from './0006-accounts-and-garbage.ts'
import { admins } from './0007-admins.ts'
import { primaryAndLeaving } from './0008-primary-and-leaving.ts'
import { leases } from './0009-leases.ts'
import { accountStatusSince } from './0010-account-status-since.ts'
import { withdrawWith } from './0011-withdraw-with.ts'
import { visitedAccounts } from './0012-visited-accounts.ts'
import { ingestLeases } from './0013-ingest-leases.ts'
import { jobsInTurns } from './0014-jobs-in-turns.ts'
import { accountsByHandle } from './0015-accounts-by-handle.ts'
import { accountChecks } from './0016-account-checks.ts'
import { inactiveAccounts } from './0017-inactive-accounts.ts'
import { signIns } from './0019-sign-ins.ts'
import { keptSubdomains } from './0020-kept-subdomains.ts'
import { ingestLines } from './0021-ingest-lines.ts'
import { blobScrub } from './0022-blob-scrub.ts'
import { grantFailures } from './0023-grant-failures.ts'
import { workItems } from './0024-work-items.ts'
import { expectedCid } from './0025-expected-cid.ts'
import { accountDeletions } from './0026-account-deletions.ts'
import { logEntries } from './0027-log-entries.ts'
import { moderation } from './0028-moderation.ts'
import { admission } from './0029-admission.ts'
import { lists } from './0030-lists.ts'
import { jobsByAccount } from './0031-jobs-by-account.ts'
import { reportsByNetwork } from './0032-reports-by-network.ts'
import { versionRecords } from './0033-version-records.ts'
import { deploys } from './0034-deploys.ts'
import { begunUploads } from './0035-begun-uploads.ts'
import { filteredLists } from './0036-filtered-lists.ts'
import { unfinishedForgets } from './0037-unfinished-forgets.ts'
import { withdrawnBefore } from './0038-withdrawn-before.ts'
import { receivedBlobs } from './0040-received-blobs.ts'
import { cdnPurges } from './0041-cdn-purges.ts'
import { deployTokens } from './0042-deploy-tokens.ts'
import { publishers } from './0043-publishers.ts'
import { certificates } from './0046-certificates.ts'
import { certificateProblems } from './0047-certificate-problems.ts'
import { certificateTotals } from './0048-certificate-totals.ts'
import { renewalInfo } from './0049-renewal-info.ts'
import { siteTraffic } from './0050-site-traffic.ts'
import { siteVisits } from './0051-site-visits.ts'
import { siteVisitsByAccount } from './0052-site-visits-by-account.ts'
import { duties } from './0053-duties.ts'
import { instances } from './0054-instances.ts'
import { leasesOfWorkItems } from './0055-leases-of-work-items.ts'
import { webhooks } from './0056-webhooks.ts'
import { siteVisitors } from './0057-site-visitors.ts'
import { changesNotify } from './0058-changes-notify.ts'
import { upkeepByIndex } from './0059-upkeep-by-index.ts'
import { dnsFailures } from './0060-dns-failures.ts'
import { changesAtCommit } from './0061-changes-at-commit.ts'
import { totalsInStretches } from './0062-totals-in-stretches.ts'
import { type MigrationSql, sqlMigration } from './sql-migration.ts'

/** All migrations by name, in their order. One that was released is never edited, renamed or removed. */
export function migrations(dialect: 'sqlite' | 'postgres'): Record<string, Migration> {
  const entries = Object.entries(statements)
  return Object.fromEntries(entries.map(([name, of]) => [name, sqlMigration(of, dialect)]))
}

const statements: Record<string, MigrationSql> = {
  '0001-first-tables': firstTables,
  '0002-uploaded-blobs': uploadedBlobs,
  '0003-jobs-writing': jobsWriting,
  '0004-sites-anew': sitesAnew,
  '0005-domains': domains,
  '0006-accounts-and-garbage': accountsAndGarbage,
  '0007-admins': admins,
  '0008-primary-and-leaving': primaryAndLeaving,
  '0009-leases': leases,
  '0010-account-status-since': accountStatusSince,
  '0011-withdraw-with': withdrawWith,
  '0012-visited-accounts': visitedAccounts,
  '0013-ingest-leases': ingestLeases,
  '0014-jobs-in-turns': jobsInTurns,
  '0015-accounts-by-handle': accountsByHandle,
  '0016-account-checks': accountChecks,
  '0017-inactive-accounts': inactiveAccounts,
  '0019-sign-ins': signIns,
  '0020-kept-subdomains': keptSubdomains,
  '0021-ingest-lines': ingestLines,
  '0022-blob-scrub': blobScrub,
  '0023-grant-failures': grantFailures,
  '0024-work-items': workItems,
  '0025-expected-cid': expectedCid,
  '0026-account-deletions': accountDeletions,
  '0027-log-entries': logEntries,
  '0028-moderation': moderation,
  '0029-admission': admission,
  '0030-lists': lists,
  '0031-jobs-by-account': jobsByAccount,
  '0032-reports-by-network': reportsByNetwork,
  '0033-version-records': versionRecords,
  '0034-deploys': deploys,
  '0035-begun-uploads': begunUploads,
  '0036-filtered-lists': filteredLists,
  '0037-unfinished-forgets': unfinishedForgets,
  '0038-withdrawn-before': withdrawnBefore,
  '0040-received-blobs': receivedBlobs,
  '0041-cdn-purges': cdnPurges,
  '0042-deploy-tokens': deployTokens,
  '0043-publishers': publishers,
  '0046-certificates': certificates,
  '0047-certificate-problems': certificateProblems,
  '0048-certificate-totals': certificateTotals,
  '0049-renewal-info': renewalInfo,
  '0050-site-traffic': siteTraffic,
  '0051-site-visits': siteVisits,
  '0052-site-visits-by-account': siteVisitsByAccount,
  '0053-duties': duties,
  '0054-instances': instances,
  '0055-leases-of-work-items': leasesOfWorkItems,
  '0056-webhooks': webhooks,
  '0057-site-visitors': siteVisitors,
  '0058-changes-notify': changesNotify,
  '0059-upkeep-by-index': upkeepByIndex,
  '0060-dns-failures': dnsFailures,
  '0061-changes-at-commit': changesAtCommit,
  '0062-totals-in-stretches': totalsInStretches,
}
