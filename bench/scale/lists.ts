// `bun bench/scale.ts lists PLACE [rounds]`: how long the lists, searches and numbers of the administrators' area take, those of
// the account with the most sites, a scrape of Prometheus and what `sitehost status` reads, without HTTP. PLACE: a folder or a
// URL of PostgreSQL that `names` has filled; what only administrators read is added. Budgets: 100 ms, and 10 ms for which the
// event loop may not be free at a time: SQLite answers in the thread of visitors.
import { join } from 'node:path'
import type { ApiContext } from '#api/context.ts'
import { adminListHandlers } from '#api/routes/admin/admin-lists.ts'
import { adminLogHandlers } from '#api/routes/admin/admin-log.ts'
import { adminReadHandlers } from '#api/routes/admin/admin-reads.ts'
import { moderationHandlers } from '#api/routes/admin/moderation.ts'
import { userHandlers } from '#api/routes/user.ts'
import type { BrowserSessions } from '#api/session/sessions.ts'
import { CertificateStates } from '#certificates/certificate-states.ts'
import { certificateFamilies } from '#main/metrics/certificate-families.ts'
import { storageFamilies } from '#main/metrics/storage-families.ts'
import { Metrics } from '#observe/metrics.ts'
import { type Database, openDatabase } from '#store/database/database.ts'
import { databaseBytes } from '#store/database/database-bytes.ts'
import { migrate } from '#store/database/migrate.ts'
import { queueSizes } from '#store/queues/queue-sizes.ts'
import { readTotals } from '#store/sites/totals.ts'
import { recordingLog } from '#tests/support/api.ts'
import { FakeOperations } from '#tests/support/operations.ts'
import { median, print } from '../support/rows.ts'
import { watchStalls } from '../support/stalls.ts'
import { fillLists, handleOfLargest, largestAccount } from './fill-lists.ts'
import { siteAt } from './fill-names.ts'

const tookMsMax = 100
const stallMsMax = 10

export async function measureLists(place: string, rounds: number): Promise<void> {
  const isUrl = place.startsWith('postgres')
  const file = isUrl ? null : join(place, 'sitehost.db')
  await using database = openDatabase(file === null ? { url: place } : { file })
  await migrate(database)
  const { sites } = await readTotals(database.db)
  await fillLists(database, sites)
  const context = contextOf(database, file)
  const reads = { ...admins(context, sites), ...accounts(context), ...numbers(context) }
  for (const [what, read] of Object.entries(reads)) {
    await measure(what, read, rounds)
  }
}

type Reads = Readonly<Record<string, () => unknown>>

async function measure(what: string, read: () => unknown, rounds: number): Promise<void> {
  const took: number[] = []
  const used: number[] = []
  const stalled: number[] = []
  for (let round = 0; round < rounds; round++) {
    const stalls = watchStalls(processorMs)
    const began = performance.now()
    const before = processorMs()
    await read()
    took.push(performance.now() - began)
    used.push(processorMs() - before)
    stalled.push(stalls.stop())
  }
  const stall = median(stalled)
  const verdict = stall > stallMsMax ? ` OVER ${stallMsMax}` : ''
  const detail =
    `at most ${Math.max(...took).toFixed(0)} ms, of the processor ${median(used).toFixed(1)} ms, ` +
    `stall ${stall.toFixed(1)} ms${verdict}`
  print({ what, value: median(took), unit: 'ms', budget: tookMsMax, detail })
}

/** Of this process, whatever else the machine does. */
function processorMs(): number {
  const { system, user } = process.cpuUsage()
  return (system + user) / 1000
}

function contextOf({ db }: Database, file: string | null): ApiContext {
  const operations = new FakeOperations(Date.now(), Date.now)
  operations.databaseBytes = () => databaseBytes(db, file)
  const files = { all: () => [], find: () => null }
  return {
    ...{ db, operations, now: Date.now, elapsed: () => performance.now() },
    ...{ log: recordingLog(), limits: {} },
    ...{ baseDomain: 'localhost', siteUrl: () => 'http://site.test/', labelUrl: () => '' },
    certificates: new CertificateStates({ db, files, isOrdering: true, now: Date.now }),
    shares: { site: { bytesPerDayMax: null }, account: { bytesPerDayMax: null } },
  } as unknown as ApiContext
}

type Handler = (call: object) => unknown
const answer = (_: number, payload: unknown) => payload
const asking = (handler: unknown, call: object) => () => (handler as Handler)({ ...call, answer })

function admins(context: ApiContext, sites: number): Reads {
  const { listAdminSites, readAdminDatabase } = adminReadHandlers(context)
  const lists = adminListHandlers(context)
  const { listErrors } = adminLogHandlers(context, { lasts: async () => true })
  const { listAudit, listReports } = moderationHandlers(context)
  // No time passes: whatever it takes is not kept.
  const uncached = { ...context, elapsed: () => 0 }
  const page = { limit: 50, offset: 0 }
  const oldest = siteAt(0)
  const sitesBy = (query: object) => asking(listAdminSites, { query: { ...page, ...query } })
  const listed = (handler: unknown, query: object = {}) =>
    asking(handler, { query: { ...page, ...query } })
  const search = 'no-such-word'
  return {
    'overview, counted anew': asking(adminListHandlers(uncached).readOverview, {}),
    overview: asking(lists.readOverview, {}),
    database: asking(readAdminDatabase, {}),
    sites: sitesBy({}),
    'sites, last offset': sitesBy({ offset: sites - 50 }),
    'sites, many match': sitesBy({ search: 'site-' }),
    'sites, of an account': sitesBy({ search: oldest.did }),
    'sites, by a handle': sitesBy({ search: handleOfLargest }),
    'sites, by a whole name that two have': sitesBy({ search: 'site-777' }),
    'sites, none matches': sitesBy({ search }),
    ...Object.fromEntries(
      ['live', 'refused', 'hidden', 'offline', 'parked'].map((state) => [
        `sites, ${state}`,
        sitesBy({ state }),
      ]),
    ),
    'sites, live and none matches': sitesBy({ state: 'live', search }),
    'sites, refused and none matches': sitesBy({ state: 'refused', search }),
    accounts: listed(lists.listAdminAccounts),
    'accounts, by a handle': listed(lists.listAdminAccounts, { search: handleOfLargest }),
    'accounts, none matches': listed(lists.listAdminAccounts, { search }),
    domains: listed(lists.listAdminDomains),
    'domains, of an account': listed(lists.listAdminDomains, { search: largestAccount }),
    'domains, none matches': listed(lists.listAdminDomains, { search }),
    jobs: listed(lists.listAdminJobs),
    'jobs, of an account': listed(lists.listAdminJobs, { search: oldest.did }),
    'jobs, of another status': listed(lists.listAdminJobs, { status: 'processing' }),
    'jobs, none matches': listed(lists.listAdminJobs, { search }),
    reports: listed(listReports),
    'reports, open': listed(listReports, { state: 'open' }),
    'reports, of another kind': listed(listReports, { kind: 'malware' }),
    'reports, none matches': listed(listReports, { search }),
    errors: listed(listErrors, { cursor: '' }),
    'errors, none matches': listed(listErrors, { search }),
    audit: listed(listAudit),
    'audit, none matches': listed(listAudit, { search }),
    'one site': asking(lists.readAdminSite, { params: { did: oldest.did, rkey: oldest.name } }),
    'one account': asking(lists.readAdminAccount, { params: { did: oldest.did } }),
    'the largest account': asking(lists.readAdminAccount, { params: { did: largestAccount } }),
  }
}

/** What the account with the most sites reads of itself. */
function accounts(context: ApiContext): Reads {
  const user = userHandlers(context, {} as BrowserSessions)
  const session = { did: largestAccount }
  return {
    'own sites': asking(user.listSites, { session }),
    'own domains': asking(user.listDomains, { session }),
    'own use': asking(user.readUsage, { session }),
    'own status': asking(user.readUserStatus, { session }),
  }
}

/** Of Prometheus and `sitehost status`, some of which the ingest thread reads. */
function numbers({ certificates, db, log, operations }: ApiContext): Reads {
  const metrics = new Metrics({ log })
  metrics.add(
    ...certificateFamilies(certificates),
    ...storageFamilies({
      db,
      databaseBytes: operations.databaseBytes,
      floor: { space: operations.diskSpace },
      loads: () => ({}),
    }),
  )
  return {
    'a scrape': () => metrics.text(),
    'totals, of status': () => readTotals(db),
    'sizes of queues': () => queueSizes(db, Date.now()),
  }
}
