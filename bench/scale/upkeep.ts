// `bun bench/scale.ts upkeep PLACE`: what the work that runs every minute or hour takes where there are many sites, and what
// administrators read. PLACE: a folder or a URL of PostgreSQL that `names` has filled. Budget: 1 s for each.
import { join } from 'node:path'
import { searchAccounts } from '#store/accounts/search-accounts.ts'
import { deleteEndedSessions } from '#store/accounts/sessions.ts'
import { listBlobHashes } from '#store/blobs/blobs.ts'
import { forgetReceivedBefore } from '#store/blobs/received-blobs.ts'
import { deleteUploadedBlobsBefore } from '#store/blobs/uploaded-blobs.ts'
import { pruneChanges } from '#store/database/changes.ts'
import { type Db, openDatabase } from '#store/database/database.ts'
import { databaseBytes } from '#store/database/database-bytes.ts'
import { deleteUnmetBefore, visitedUsage } from '#store/lifecycle/visited-accounts.ts'
import { takeDueCustomDomains } from '#store/names/custom-domains.ts'
import { dropKeptSubdomains } from '#store/names/kept-subdomains.ts'
import { listNewestDomains, searchDomains } from '#store/names/search-domains.ts'
import { enqueueInactiveAccounts } from '#store/queues/enqueue.ts'
import { deleteJobsFinishedBefore } from '#store/queues/jobs.ts'
import { queueSizes, unfinishedJobs } from '#store/queues/queue-sizes.ts'
import { deleteParkedUnknown } from '#store/queues/queued.ts'
import { pullBackTimes } from '#store/queues/times-ahead.ts'
import { expireVersions, forgetRemovedVersions } from '#store/sites/expire-versions.ts'
import { forgetRemovedSites } from '#store/sites/remove-site.ts'
import { listNewestSites, searchSites } from '#store/sites/search-sites.ts'
import { snapshotPages } from '#store/sites/snapshot-pages.ts'
import { readTotals } from '#store/sites/totals.ts'
import { sweepTraffic } from '#store/sites/traffic.ts'
import { dropReplacedSnapshots } from '#store/sites/versions.ts'
import { endVisitorDays } from '#store/sites/visitors.ts'
import { askedAt } from '#tests/support/database/work-rows.ts'
import { print } from '../support/rows.ts'
import { stopwatch, watchStalls } from '../support/stalls.ts'
import { labelOf } from './fill-names.ts'

const workMsMax = 1_000
/** Some 1100 of 1 100 000 snapshots. */
const pagesMeasured = 110

/** Of the time at which `fillNames` has its rows: nothing is old. */
const now = Date.UTC(2030, 0, 1)
const dayMs = 24 * 60 * 60 * 1000
const before = now - dayMs

export async function measureUpkeep(place: string): Promise<void> {
  const isUrl = place.startsWith('postgres')
  const file = isUrl ? null : join(place, 'sitehost.db')
  await using database = openDatabase(file === null ? { url: place } : { file })
  const { db } = database
  for (const [what, work] of Object.entries({ ...sweeps(db), ...reads(db, file) })) {
    const stalls = watchStalls()
    const time = stopwatch()
    await work()
    const value = time.seconds() * 1000
    const detail = `longest stall ${stalls.stop().toFixed(0)} ms`
    print({ what, value, unit: 'ms', budget: workMsMax, detail })
  }
}

type Works = Readonly<Record<string, () => Promise<unknown>>>

const sweeps = (db: Db): Works => ({
  'ended sessions': () => deleteEndedSessions(db, 'browserSessions', { now, idleMs: dayMs }),
  'kept subdomains': () => dropKeptSubdomains(db, now),
  'finished jobs': () => deleteJobsFinishedBefore(db, before),
  'replaced snapshots': () => dropReplacedSnapshots(db, before),
  'parked items of unknown accounts': () => deleteParkedUnknown(db, 10_000),
  changes: () => pruneChanges(db, before),
  'uploaded blobs': () => deleteUploadedBlobsBefore(db, before),
  'received blobs': () => forgetReceivedBefore(db, before),
  'removed sites': () => forgetRemovedSites(db, before),
  'removed versions': () => forgetRemovedVersions(db, before),
  'expired previews': () => expireVersions(db, now),
  traffic: () => sweepTraffic(db, 20_000),
  'days of visitors': () => endVisitorDays(db, 20_000),
  'times ahead of the clock': () =>
    pullBackTimes(db, now, {
      retriesMs: [dayMs],
      queueLeaseMs: dayMs,
      jobMs: dayMs,
      domainCheckMs: Number.MAX_SAFE_INTEGER / 2,
      accountDeletionMs: dayMs,
      deliveryMs: dayMs,
    }),
  'inactive accounts': () => enqueueInactiveAccounts(askedAt(db, now), { before, limit: 500 }),
  'custom domains that are due': () => takeDueCustomDomains(db, { now, leaseMs: 1, limit: 10 }),
  'unmet visited accounts': () => deleteUnmetBefore(db, before),
  'use of visited accounts': () => visitedUsage(db, before),
  'next 100 blobs of the scrub': () => listBlobHashes(db, { after: '8', limit: 100 }),
  'next 100 000 blobs of the garbage walk': () =>
    listBlobHashes(db, { after: '8', limit: 100_000 }),
  [`${pagesMeasured} pages of ten snapshots`]: async () => {
    let left = pagesMeasured
    for await (const _ of snapshotPages(db, { after: 'version-5' })) if (--left === 0) break
  },
})

const page = { after: null, limit: 50 }

const reads = (db: Db, file: string | null): Works => ({
  totals: () => readTotals(db),
  'sizes of queues': () => queueSizes(db, now),
  'unfinished jobs': () => unfinishedJobs(db),
  'size of the database': () => databaseBytes(db, file),
  'newest sites': () => listNewestSites(db, { limit: 20, offset: 0 }),
  'newest domains': () => listNewestDomains(db, 20),
  'all sites': () => searchSites(db, { ...page, search: '', state: null }),
  'live sites': () => searchSites(db, { ...page, search: '', state: 'live' }),
  'refused sites (none)': () => searchSites(db, { ...page, search: '', state: 'refused' }),
  'sites by a part of a label': () =>
    searchSites(db, { ...page, search: labelOf(7).slice(5, 25), state: null }),
  'sites by a word that none has': () =>
    searchSites(db, { ...page, search: 'no-such-site', state: null }),
  'accounts by a word that none has': () =>
    searchAccounts(db, { ...page, search: 'no-such-account' }),
  'domains by a word that none has': () => searchDomains(db, { ...page, search: 'no-such-domain' }),
})
