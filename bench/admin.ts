// `bun bench/admin.ts [sites] [rounds]`: how long the lists and searches of the administrator's area take with so many
// sites, accounts, names, uploads and audit entries, and with as many reports and errors as are kept, without HTTP; on SQLite and PostgreSQL. Budget: 100 ms. The last column is the longest
// time in which the event loop was not free.
import type { ApiContext } from '#api/context.ts'
import { adminListHandlers } from '#api/routes/admin/admin-lists.ts'
import { adminLogHandlers } from '#api/routes/admin/admin-log.ts'
import { adminReadHandlers } from '#api/routes/admin/admin-reads.ts'
import { moderationHandlers } from '#api/routes/admin/moderation.ts'
import { siteLabel } from '#site/site-address.ts'
import { chunksOf } from '#store/database/chunks.ts'
import { type Db, openDatabase } from '#store/database/database.ts'
import { migrate } from '#store/database/migrate.ts'
import { errorEntriesMax } from '#store/log/prune-log.ts'
import { handledReportsMax, openReportsMax } from '#store/moderation/reports.ts'
import { postgresDatabase, sqliteFile } from '#tests/support/database/databases.ts'
import { accountOf, progress, siteOf } from '#tests/support/database/sample-rows.ts'
import { FakeOperations } from '#tests/support/operations.ts'

const sites = Number(process.argv[2] ?? 100_000)
const rounds = Number(process.argv[3] ?? 11)

async function fill(db: Db): Promise<void> {
  const numbers = Array.from({ length: sites }, (_, n) => n)
  for (const chunk of chunksOf(numbers, 200)) {
    await db
      .insertInto('accounts')
      .values(
        chunk.map((n) => ({ ...account, ...times(n), did: accountOf(n), handle: handleOf(n) })),
      )
      .execute()
    await db.insertInto('sites').values(chunk.map(siteRowOf)).execute()
    await db.insertInto('versions').values(chunk.map(versionRowOf)).execute()
    await db
      .insertInto('subdomains')
      .values(
        chunk.map((n) => ({
          ...times(n),
          ...{ domain: `name-${n}.sites.example.net`, did: accountOf(n), site: nameOf(n) },
        })),
      )
      .execute()
    await db.insertInto('jobs').values(chunk.map(jobRowOf)).execute()
    await db.insertInto('auditEntries').values(chunk.map(auditRowOf)).execute()
  }
  for (const chunk of chunksOf(numbers.slice(0, openReportsMax + handledReportsMax), 200)) {
    await db.insertInto('reports').values(chunk.map(reportRowOf)).execute()
  }
  for (const chunk of chunksOf(numbers.slice(0, errorEntriesMax), 200)) {
    await db.insertInto('errorEntries').values(chunk.map(errorRowOf)).execute()
  }
}

const times = (n: number) => ({ createdAt: n, updatedAt: n })
const handleOf = (n: number): string => `person-${n}.example.com`
const nameOf = (n: number) => siteOf(`site-${n}`).name
const account = { pds: 'https://pds.example.com', status: 'active', statusSince: 1 } as const

function siteRowOf(n: number) {
  const site = siteOf(`site-${n}`, accountOf(n))
  return {
    ...{ ...site, ...times(n), label: siteLabel(site), liveVersionId: `v-${n}` },
    ...{ removedRev: null, withdrawWith: null },
  }
}

const versionRowOf = (n: number) => ({
  ...{ ...siteOf(`site-${n}`, accountOf(n)), id: `v-${n}`, recordCid: `cid-${n}` },
  ...{ rev: '3kaaaaaaaaaa2', state: 'live' as const, problems: '[]', snapshot: 'x'.repeat(2000) },
  ...{ fileCount: 20, bytes: 100_000, publishedAt: n, seenAt: n, replacedAt: null },
})

const jobRowOf = (n: number) => ({
  ...{ ...times(n), id: `job-${n}`, did: accountOf(n), site: nameOf(n), status: 'failed' as const },
  ...{ progress: JSON.stringify(progress), result: null, plan: '', expectedCid: null, dueAt: null },
  ...{ error: 'Your account’s server did not answer. Try again later.' },
  ...{ startedAt: n, writingAt: null, finishedAt: n },
})

const reportRowOf = (n: number) => ({
  ...{ at: n, lastAt: n, times: 1, url: `https://name-${n}.sites.example.net/login.html` },
  ...{ did: accountOf(n), site: nameOf(n), kind: 'phishing' as const, text: complaint },
  ...{ contact: `visitor-${n}@example.org`, networkHash: `network-${n}`, state: 'open' as const },
  ...{ handledBy: null, handledAt: null, outcome: null },
})
const complaint = 'This page looks like that of my bank, and asks for my password. '.repeat(3)

const errorRowOf = (n: number) => ({
  ...{ fingerprint: n.toString(16).padStart(32, '0'), service: 'main-app' as const },
  ...{ message: `unhandled error: TypeError: row ${n} is not a function`, count: n },
  stack: '    at handle (/opt/sitehost/src/api/routes/a-file-of-it.ts:12:34)\n'.repeat(8),
  context: JSON.stringify({ did: accountOf(n), site: `site-${n}`, route: 'GET /api/user/sites' }),
  ...{ firstSeen: n, lastSeen: n, traceIds: '[]' },
})

const auditRowOf = (n: number) => ({
  ...{ at: n, actor: 'ruth', action: 'site.take-down', subject: `${accountOf(n)}/site-${n}` },
  ...{ reason: 'A visitor reported it: it asks for passwords', details: '{"status":451}' },
})

type Handler = (call: object) => unknown

async function measure(db: Db): Promise<void> {
  const context = {
    ...{ db, now: Date.now, operations: new FakeOperations(Date.now(), Date.now) },
    ...{
      baseDomain: 'sites.example.net',
      siteUrl: () => 'http://site.test/',
      labelUrl: () => 'http://version.test/',
    },
  } as unknown as ApiContext
  const { listAdminSites, readAdminDatabase } = adminReadHandlers(context)
  const lists = adminListHandlers(context)
  const { listErrors } = adminLogHandlers(context, { lasts: async () => true })
  const { listAudit, listReports } = moderationHandlers(context)
  const last = { limit: 50, offset: sites - 50 }
  const page = { limit: 50, offset: 0 }
  const first = accountOf(0)
  const site = { did: first, rkey: 'site-0' }
  const asked: [string, unknown, object][] = [
    ['sites', listAdminSites, { query: page }],
    ['sites, last offset', listAdminSites, { query: last }],
    ['sites, many match', listAdminSites, { query: { ...page, search: 'site-' } }],
    ['sites, the oldest matches', listAdminSites, { query: { ...page, search: first } }],
    ['sites, none matches', listAdminSites, { query: { ...page, search: 'nobody' } }],
    ['sites, by a handle', listAdminSites, { query: { ...page, search: handleOf(7) } }],
    ['sites, refused', listAdminSites, { query: { ...page, state: 'refused' } }],
    ['sites, live', listAdminSites, { query: { ...page, state: 'live' } }],
    [
      'sites, live and none matches',
      listAdminSites,
      { query: { ...page, state: 'live', search: 'nobody' } },
    ],
    ['accounts', lists.listAdminAccounts, { query: page }],
    ['accounts, none matches', lists.listAdminAccounts, { query: { ...page, search: 'nobody' } }],
    ['domains', lists.listAdminDomains, { query: page }],
    ['domains, none matches', lists.listAdminDomains, { query: { ...page, search: 'nobody' } }],
    ['jobs', lists.listAdminJobs, { query: page }],
    ['jobs, none matches', lists.listAdminJobs, { query: { ...page, search: 'nobody' } }],
    ['reports', listReports, { query: page }],
    [
      'reports, open and the oldest',
      listReports,
      { query: { ...page, state: 'open', search: first } },
    ],
    ['reports, of another kind', listReports, { query: { ...page, kind: 'malware' } }],
    ['reports, none matches', listReports, { query: { ...page, search: 'nobody' } }],
    ['errors', listErrors, { query: { ...page, cursor: '' } }],
    [
      'errors, of the other service',
      listErrors,
      { query: { ...page, service: 'hosting-service' } },
    ],
    ['errors, none matches', listErrors, { query: { ...page, search: 'nobody' } }],
    ['audit, none matches', listAudit, { query: { ...page, search: 'nobody' } }],
    ['database', readAdminDatabase, {}],
    ['overview', lists.readOverview, {}],
    ['one site', lists.readAdminSite, { params: site }],
    ['one account', lists.readAdminAccount, { params: site }],
  ]
  for (const [what, handler, call] of asked) await time(what, handler as Handler, call)
}

async function time(what: string, handler: Handler, call: object): Promise<void> {
  const answer = (_: number, payload: unknown) => payload
  const took: number[] = []
  const used: number[] = []
  let blocked = 0
  for (let round = 0; round < rounds; round++) {
    const stop = watchEventLoop((ms) => {
      blocked = Math.max(blocked, ms)
    })
    const startedAt = performance.now()
    const before = process.cpuUsage()
    await handler({ ...call, answer })
    took.push(performance.now() - startedAt)
    const { system, user } = process.cpuUsage(before)
    used.push((system + user) / 1000)
    stop()
  }
  const columns = [medianOf(took), Math.max(...took), medianOf(used), blocked].map((ms) =>
    ms.toFixed(1).padStart(8),
  )
  console.log(what.padEnd(32), ...columns)
}

const medianOf = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

/** Reports how late each timer of a millisecond is. */
function watchEventLoop(onLate: (ms: number) => void): () => void {
  let at = performance.now()
  const timer = setInterval(() => {
    onLate(performance.now() - at - 1)
    at = performance.now()
  }, 1)
  return () => clearInterval(timer)
}

for (const [dialect, make] of [
  ['sqlite', sqliteFile],
  ['postgres', postgresDatabase],
] as const) {
  await using own = await make()
  await using database = openDatabase(own.options)
  await migrate(database)
  await fill(database.db)
  console.log(
    `${dialect}: ${sites} sites; ms: median, longest, CPU of this process, event loop blocked`,
  )
  await measure(database.db)
}
