import { expect } from 'bun:test'
import { hashPassword } from '#api/session/admin-password.ts'
import { addAdmin, removeAdmin } from '#store/accounts/admins.ts'
import { aCid, aTime, like } from './like.ts'
import type { Row } from './row.ts'
import type { Scene } from './scene.ts'

const password = 'correct horse battery'

/** An administrator, until the scene ends. */
async function ruth(scene: Scene): Promise<void> {
  const { db } = scene.stage.database
  const passwordHash = await hashPassword(password)
  await addAdmin(db, { id: crypto.randomUUID(), name: 'ruth', passwordHash, createdAt: Date.now() })
  scene.after(() => removeAdmin(db, 'ruth'))
}

/** In the browser of the scene. */
export async function ruthIsSignedIn(scene: Scene): Promise<void> {
  await ruth(scene)
  const body = JSON.stringify({ username: 'ruth', password })
  const answer = await scene.browser.fetch('/api/admin/login', { method: 'POST', body })
  if (!answer.ok) throw new Error(`an administrator's sign-in: ${answer.status}`)
}

const aNumber = expect.any(Number)
const aList = expect.any(Array)

const requests = {
  totalRequests: aNumber,
  avgDuration: aNumber,
  p50Duration: aNumber,
  p95Duration: aNumber,
  p99Duration: aNumber,
  errorRate: aNumber,
  requestsPerMinute: aNumber,
}

const tier = {
  entries: aNumber,
  bytes: aNumber,
  bytesMax: aNumber,
  hits: aNumber,
  misses: aNumber,
  evictions: aNumber,
}

const blog = {
  rkey: 'blog',
  displayName: 'blog',
  uri: 'at://{alice}/place.sitehost.fs/blog',
  cid: aCid,
  fileCount: 1,
  bytes: aNumber,
  url: expect.any(String),
  createdAt: aTime,
  updatedAt: aTime,
  publishedAt: aTime,
  verifiedAt: aTime,
  problems: [],
  domains: [],
  primary: null,
  did: '{alice}',
  handle: expect.any(String),
  state: 'live',
  parked: false,
}

const aliceRow = {
  did: '{alice}',
  handle: expect.any(String),
  pds: '{pds}',
  status: 'active',
  statusSince: aTime,
  sites: 1,
  bytes: aNumber,
  createdAt: aTime,
  updatedAt: aTime,
}

/** An answer to ruth. */
const read = (route: string, section: Row['section'], body: unknown, path = route): Row => ({
  ...{ route: `GET ${route}`, section, path, body },
  what: 'for an administrator',
  by: 'nobody',
  given: ruthIsSignedIn,
  status: 200,
})

const adminReadRows: readonly Row[] = [
  read('/api/admin/logs', '4.6', { logs: [] }, '/api/admin/logs?search=nobody-has-written-this'),
  read(
    '/api/admin/logs',
    'ours',
    { logs: [], cursor: null },
    '/api/admin/logs?search=nobody-has-written-this&cursor=',
  ),
  read('/api/admin/errors', '4.6', { errors: aList }),
  read(
    '/api/admin/errors',
    'ours',
    { errors: aList, cursor: null },
    '/api/admin/errors?limit=200&cursor=',
  ),
  {
    ...read('/api/admin/logs/stream', 'ours', { error: 'Unauthorized' }),
    ...{ what: 'an account is no administrator', by: 'alice', given: () => {}, status: 401 },
  },
  read('/api/admin/metrics', '4.6', {
    ...{ overall: requests, mainApp: requests, hostingService: requests },
    timeWindow: 3_600_000,
  }),
  read('/api/admin/database', '4.6', {
    stats: {
      totalSites: aNumber,
      totalSubdomains: aNumber,
      totalCustomDomains: aNumber,
      totalAccounts: aNumber,
      databaseBytes: aNumber,
    },
    recentSites: aList,
    recentDomains: aList,
  }),
  read('/api/admin/cache', '4.6', { snapshots: tier, bodies: tier, hosts: tier }),
  read('/api/admin/sites', '4.6', { sites: aList, customDomains: aList }),
  read('/api/admin/health', '4.6', {
    uptime: aNumber,
    memory: { heapUsed: aNumber, heapTotal: aNumber, rss: aNumber },
    timestamp: aTime,
  }),
  read(
    '/api/admin/sites',
    'ours',
    { sites: [blog], customDomains: [], cursor: null },
    '/api/admin/sites?search={alice}',
  ),
  read(
    '/api/admin/sites/:did/:rkey',
    'ours',
    { site: blog, account: aliceRow, takedown: null, versions: aList, work: null, jobs: aList },
    '/api/admin/sites/{alice}/blog',
  ),
  {
    ...read('/api/admin/sites/:did/:rkey', 'ours', { error: 'Site not found' }),
    what: 'no such site',
    path: '/api/admin/sites/{alice}/none',
    status: 404,
  },
  read(
    '/api/admin/accounts/:did',
    'ours',
    {
      ...{ account: aliceRow, takedown: null, sessions: aNumber, work: null },
      limits: { sitesMax: null, bytesMax: null, uploadsPerDayMax: null },
      ...{ sites: [blog], domains: [], jobs: aList },
    },
    '/api/admin/accounts/{alice}',
  ),
  read(
    '/api/admin/accounts',
    'ours',
    { accounts: [aliceRow], cursor: null },
    '/api/admin/accounts?search={alice}',
  ),
  read('/api/admin/domains', 'ours', { domains: aList, cursor: null }),
  read('/api/admin/jobs', 'ours', { jobs: aList, cursor: null }),
  read('/api/admin/overview', 'ours', {
    ...{ version: expect.any(String), startedAt: aTime },
    ...{ accounts: aNumber, sites: aNumber, bytes: aNumber },
    ...{ diskFreeBytes: aNumber, diskTotalBytes: aNumber, databaseBytes: aNumber },
    firehose: expect.any(Object),
    queues: {
      sites: aNumber,
      versions: aNumber,
      accounts: aNumber,
      jobs: aNumber,
      parked: aNumber,
    },
    ...{ certificates24h: aNumber, certificates: null },
    ...{ reportsOpen: aNumber, errors24h: aNumber, lastBackupAt: null },
    hostingReachable: true,
    processes: [
      {
        ...{ kind: 'service', pid: aNumber, startedAt: aTime, restarts: 0, residentBytes: aNumber },
      },
    ],
    instances: [],
  }),
  read(
    '/api/admin/series',
    'ours',
    { times: aList, series: aList },
    '/api/admin/series?metric=latency',
  ),
]

const removed = 'admin_session=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0'

/** §4.6, and what the administrator's pages read beside it. */
export const adminRows: readonly Row[] = [
  {
    route: 'POST /api/admin/login',
    section: '4.6',
    what: 'name and password: a session',
    by: 'nobody',
    given: ruth,
    json: { username: 'ruth', password },
    ...{ status: 200, body: { success: true } },
    cookies: [
      like('admin_session=[^;]+; Path=/; HttpOnly; SameSite=Strict; Max-Age=43200'),
      like('admin_device=[^;]+; Path=/; HttpOnly; SameSite=Strict; Max-Age=7776000'),
    ],
  },
  {
    route: 'POST /api/admin/login',
    section: '4.6',
    situation: 'Admin login with wrong credentials',
    what: 'another password',
    by: 'nobody',
    given: ruth,
    json: { username: 'ruth', password: 'not this one' },
    ...{ status: 401, body: { error: 'Invalid credentials' }, cookies: [] },
  },
  {
    route: 'POST /api/admin/login',
    section: '4.6',
    what: 'another name',
    by: 'nobody',
    json: { username: 'ruth', password },
    ...{ status: 401, body: { error: 'Invalid credentials' }, cookies: [] },
  },
  {
    route: 'POST /api/admin/logout',
    section: '4.6',
    what: 'the session ends',
    by: 'nobody',
    given: ruthIsSignedIn,
    ...{ status: 200, body: { success: true }, cookies: [removed] },
  },
  {
    route: 'POST /api/admin/logout',
    section: '4.6',
    situation: 'Admin route without valid session',
    what: 'an account is no administrator',
    by: 'alice',
    ...{ status: 401, body: { error: 'Unauthorized' } },
  },
  {
    route: 'GET /api/admin/status',
    section: '4.6',
    what: 'who is signed in',
    by: 'nobody',
    given: ruthIsSignedIn,
    ...{ status: 200, body: { authenticated: true, username: 'ruth' } },
  },
  {
    route: 'GET /api/admin/status',
    section: '4.6',
    what: 'nobody is',
    by: 'nobody',
    ...{ status: 200, body: { authenticated: false } },
  },
  ...adminReadRows,
]
