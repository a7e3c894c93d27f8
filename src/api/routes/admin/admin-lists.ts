import type { HandlersOf } from '#api/bind-routes.ts'
import type { ApiContext } from '#api/context.ts'
import type { adminListRoutes } from '#api/contract/admin/admin-lists.ts'
import { literals, sentences } from '#api/contract/messages.ts'
import { ApiError } from '#api/errors.ts'
import { pageOf, readCursor } from '#api/routes/cursor.ts'
import { isoOf } from '#api/routes/iso-of.ts'
import { sessionIdleMs } from '#api/session/sessions.ts'
import { cachedRead } from '#concurrency/cached-read.ts'
import { type Did, parseDid } from '#site/site-address.ts'
import { parseAnySiteName } from '#site/site-name.ts'
import { findAccount } from '#store/accounts/accounts.ts'
import { accountKey, searchAccounts } from '#store/accounts/search-accounts.ts'
import { listBrowserSessions } from '#store/accounts/sessions.ts'
import { countHosts } from '#store/log/count-hosts.ts'
import { countErrorEntries } from '#store/log/error-entries.ts'
import { findLimitOverrides } from '#store/moderation/account-limits.ts'
import { countOpenReports } from '#store/moderation/reports.ts'
import { findAccountTakedown, findTakedown } from '#store/moderation/takedowns.ts'
import { domainKey, searchDomains } from '#store/names/search-domains.ts'
import { listWorkingInstances, type WorkingInstance } from '#store/queues/instance-work.ts'
import { queueSizes, unfinishedJobs } from '#store/queues/queue-sizes.ts'
import { jobKey, listLastJobs, searchJobs } from '#store/queues/search-jobs.ts'
import { findWorkItem } from '#store/queues/unread.ts'
import { searchSites } from '#store/sites/search-sites.ts'
import { readTotals } from '#store/sites/totals.ts'
import { listVersions } from '#store/sites/versions.ts'
import {
  adminAccountRows,
  adminDomainRows,
  adminJobRows,
  adminSiteRows,
  certificateTotals,
  takedownRow,
  versionRow,
  workItemRow,
} from './admin-rows.ts'
import { readSeries } from './admin-series.ts'

/** In the details of a site or an account. */
const jobsShownMax = 10
const rowsShownMax = 50

/** What the administrator's pages show beyond interface.md §4.6. */
export function adminListHandlers(context: ApiContext): HandlersOf<typeof adminListRoutes> {
  const { db, now, operations } = context
  const counts = cachedRead(() => readCounts(context), context.elapsed)
  const accountOf = async (did: Did, otherwise: string) => {
    const account = await findAccount(db, did)
    const [row] = account === null ? [] : await adminAccountRows([account], context)
    if (row === undefined) throw new ApiError(404, otherwise)
    return row
  }
  return {
    readOverview: async ({ answer }) => answer(200, await overview(context, await counts())),

    readSeries: async ({ query, answer }) =>
      answer(200, await readSeries(query, operations, now())),

    readAdminSite: async ({ params, answer }) => {
      const did = parseDid(params.did)
      const name = parseAnySiteName(params.rkey)
      if (did === null || name === null) throw new ApiError(404, literals.siteNotFound)
      const [site] = await adminSiteRows([{ did, name }], context)
      if (site === undefined) throw new ApiError(404, literals.siteNotFound)
      const jobs = await listLastJobs(db, { did, site: name }, jobsShownMax)
      return answer(200, {
        site,
        account: await accountOf(did, literals.siteNotFound),
        takedown: takedownRow(await findTakedown(db, { did, name })),
        versions: (await listVersions(db, { did, name })).map(versionRow),
        work: workItemRow(await findWorkItem(db, { did, site: name })),
        jobs: await adminJobRows(jobs, context),
      })
    },

    listAdminAccounts: async ({ query: { cursor: given, limit, search = '' }, answer }) => {
      const after = readCursor(given, ['number', 'string'])
      const found = await searchAccounts(db, { search, after, limit: limit + 1 })
      const { page, cursor } = pageOf(found, limit, accountKey)
      return answer(200, { accounts: await adminAccountRows(page, context), cursor })
    },

    readAdminAccount: async ({ params, answer }) => {
      const did = parseDid(params.did)
      if (did === null) throw new ApiError(404, sentences.accountNotFound)
      const account = await accountOf(did, sentences.accountNotFound)
      const sessions = await listBrowserSessions(db, did, { now: now(), idleMs: sessionIdleMs })
      const first = { search: did, after: null, limit: rowsShownMax }
      const sites = await searchSites(db, { ...first, state: null })
      return answer(200, {
        account,
        takedown: takedownRow(await findAccountTakedown(db, did)),
        limits: await findLimitOverrides(db, did),
        sessions: sessions.length,
        work: workItemRow(await findWorkItem(db, { did, site: '' })),
        sites: await adminSiteRows(sites, context),
        domains: await adminDomainRows(await searchDomains(db, first), context),
        jobs: await adminJobRows(await listLastJobs(db, { did }, jobsShownMax), context),
      })
    },

    listAdminDomains: async ({ query: { cursor: given, limit, search = '' }, answer }) => {
      const after = readCursor(given, ['string', 'string'])
      const found = await searchDomains(db, { search, after, limit: limit + 1 })
      const { page, cursor } = pageOf(found, limit, domainKey)
      return answer(200, { domains: await adminDomainRows(page, context), cursor })
    },

    listAdminJobs: async ({ query, answer }) => {
      const { cursor: given, limit, search = '', status = null } = query
      const after = readCursor(given, ['number', 'string'])
      const found = await searchJobs(db, { search, status, after, limit: limit + 1 })
      const { page, cursor } = pageOf(found, limit, jobKey)
      return answer(200, { jobs: await adminJobRows(page, context), cursor })
    },
  }
}

const instanceRow = ({ seenAgoMs, run: _, seenAt: __, ...instance }: WorkingInstance) => ({
  ...instance,
  startedAt: isoOf(instance.startedAt),
  seenSeconds: Math.floor(seenAgoMs / 1000),
})

const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs

/** What takes long where there are many sites. */
const readCounts = async ({ certificates, db, now }: ApiContext) => ({
  totals: await readTotals(db),
  queues: await queueSizes(db, now()),
  certificates: (await certificates?.totals()) ?? null,
})

async function overview(
  { db, now, operations }: ApiContext,
  { certificates, queues, totals }: Awaited<ReturnType<typeof readCounts>>,
) {
  const { hosting, startedAt, version } = operations
  const disk = await operations.diskSpace()
  const found = await hosting.metrics(minuteMs)
  const jobs = await unfinishedJobs(db)
  const lastBackupAt = await operations.lastBackupAt()
  const yesterday = now() - dayMs
  return {
    version,
    startedAt: isoOf(startedAt),
    accounts: totals.accounts,
    sites: totals.live.sites,
    bytes: totals.live.bytes,
    diskFreeBytes: disk.free,
    diskTotalBytes: disk.total,
    databaseBytes: await operations.databaseBytes(),
    firehose: found?.firehose ?? { lagSeconds: null, lastEventSeconds: null, connected: false },
    queues: {
      sites: queues.site.waiting,
      versions: queues.version.waiting,
      accounts: queues.account.waiting,
      jobs: jobs.values().reduce((sum, count) => sum + count, 0),
      parked: queues.site.parked + queues.version.parked + queues.account.parked,
    },
    certificates24h: await countHosts(db, 'certificate_permitted', yesterday),
    certificates: certificates && certificateTotals(certificates),
    reportsOpen: await countOpenReports(db),
    errors24h: await countErrorEntries(db, yesterday),
    lastBackupAt: lastBackupAt === null ? null : isoOf(lastBackupAt),
    hostingReachable: found !== null,
    processes: operations
      .processes()
      .map((process) => ({ ...process, startedAt: isoOf(process.startedAt) })),
    instances: (await listWorkingInstances(db)).map(instanceRow),
  }
}
