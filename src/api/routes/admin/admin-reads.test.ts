import { beforeEach, describe, expect, test } from 'bun:test'
import { siteLabel } from '#site/site-address.ts'
import { upsertAccount } from '#store/accounts/accounts.ts'
import { registerInstance } from '#store/instances.ts'
import { countErrors } from '#store/log/error-entries.ts'
import { appendLogEntries } from '#store/log/log-entries.ts'
import { putTakedown } from '#store/moderation/takedowns.ts'
import { addCustomDomain } from '#store/names/custom-domains.ts'
import { claimSubdomain, mapSubdomain } from '#store/names/subdomains.ts'
import { createJob } from '#store/queues/jobs.ts'
import { recordVersion } from '#store/sites/record-version.ts'
import { testApi } from '#tests/support/api.ts'
import {
  alice,
  bob,
  nameOf,
  newJob,
  newVersion,
  siteOf,
} from '#tests/support/database/sample-rows.ts'
import { cacheStats } from '#tests/support/operations.ts'

const api = testApi()
const minuteMs = 60_000
const hour = 60 * minuteMs

let cookie: string
beforeEach(async () => {
  cookie = await api().adminSignedIn()
})

const get = async (path: string) => {
  const response = await api().request(`/api/admin/${path}`, { headers: { cookie } })
  return { status: response.status, body: await response.json() }
}

async function publish(name: string, at: number, did = alice): Promise<void> {
  const { db } = api()
  await upsertAccount(db, { did, handle: did === alice ? 'alice.test' : null }, 1)
  const site = siteOf(name, did)
  await recordVersion(db, newVersion({ site, label: siteLabel(site) }), at)
}

describe('GET /api/admin/metrics', () => {
  beforeEach(() => {
    const { requests } = api().operations
    for (let n = 0; n < 3; n++) requests.observe('app', 200, 1000)
    requests.observe('edge', 500, 1000)
    api().now += minuteMs
  })
  const summary = (totalRequests: number, errorRate: number) => ({
    totalRequests,
    avgDuration: 1,
    p50Duration: expect.closeTo(1, 1),
    p95Duration: expect.closeTo(1, 1),
    p99Duration: expect.closeTo(1, 1),
    errorRate,
    requestsPerMinute: totalRequests,
  })

  test('the application, the sites, and both', async () => {
    expect(await get('metrics')).toEqual({
      status: 200,
      body: {
        overall: summary(4, 0.25),
        mainApp: summary(3, 0),
        hostingService: summary(1, 1),
        timeWindow: hour,
      },
    })
  })

  test('of the time that was asked for', async () => {
    api().operations.requests.endMinute()
    api().now += 10 * minuteMs
    const { body } = await get(`metrics?timeWindow=${minuteMs}`)
    expect(body).toMatchObject({ overall: { totalRequests: 0 }, timeWindow: minuteMs })
    expect((await get(`metrics?timeWindow=${hour}`)).body.overall.totalRequests).toBe(4)
    for (const bad of ['x', '59999', '-1', '1.5', '86400001']) {
      const { body, status } = await get(`metrics?timeWindow=${bad}`)
      expect([status, body.error]).toEqual([400, expect.stringMatching(/^timeWindow: /)])
    }
  })

  test('without the hosting part: 200, and that part is empty', async () => {
    api().operations.hasHosting = false
    expect(await get('metrics')).toEqual({
      status: 200,
      body: {
        overall: summary(3, 0),
        mainApp: summary(3, 0),
        hostingService: {},
        timeWindow: hour,
      },
    })
  })
})

describe('GET /api/admin/cache', () => {
  test('what is in memory, by tier', async () => {
    expect(await get('cache')).toEqual({ status: 200, body: cacheStats })
  })

  test('without the hosting part: 503, to the letter', async () => {
    api().operations.hasHosting = false
    expect(await get('cache')).toEqual({
      status: 503,
      body: {
        error: 'Failed to fetch cache stats from hosting service',
        message: 'Hosting service unavailable',
      },
    })
  })
})

test('GET /api/admin/health', async () => {
  expect(await get('health')).toEqual({
    status: 200,
    body: {
      uptime: expect.any(Number),
      memory: {
        heapUsed: expect.any(Number),
        heapTotal: expect.any(Number),
        rss: expect.any(Number),
      },
      timestamp: '2030-01-01T00:00:00.000Z',
    },
  })
})

const blogRow = {
  rkey: 'blog',
  displayName: 'blog',
  uri: `at://${alice}/place.sitehost.fs/blog`,
  cid: 'cid-1',
  fileCount: 2,
  bytes: 1000,
  url: 'http://blog.test/',
  createdAt: '1970-01-01T00:00:00.005Z',
  updatedAt: '1970-01-01T00:00:00.005Z',
  publishedAt: '1970-01-01T00:00:00.001Z',
  verifiedAt: '1970-01-01T00:00:00.005Z',
  problems: [],
  domains: [],
  primary: null,
  did: alice,
  handle: 'alice.test',
  state: 'live',
  parked: false,
}

describe('GET /api/admin/database', () => {
  test('the numbers, and the newest rows', async () => {
    const { db } = api()
    await publish('blog', 5)
    await claimSubdomain(
      db,
      { did: alice, domain: 'alice.sites.example.net' },
      { subdomainsMax: 3, now: 7 },
    )
    expect(await get('database')).toEqual({
      status: 200,
      body: {
        stats: {
          totalSites: 1,
          totalSubdomains: 1,
          totalCustomDomains: 0,
          totalAccounts: 1,
          databaseBytes: 4096,
        },
        recentSites: [blogRow],
        recentDomains: [
          {
            type: 'sitehost',
            id: null,
            domain: 'alice.sites.example.net',
            did: alice,
            handle: 'alice.test',
            rkey: null,
            verified: true,
            lastCheckedAt: null,
            warning: null,
            createdAt: '1970-01-01T00:00:00.007Z',
          },
        ],
      },
    })
  })

  test('20 of each at most, newest first', async () => {
    for (let n = 0; n < 22; n++) await publish(`site-${n}`, n + 1)
    const { recentSites } = (await get('database')).body
    expect(recentSites).toHaveLength(20)
    expect(recentSites[0].rkey).toBe('site-21')
  })
})

describe('GET /api/admin/sites', () => {
  const names = ({ body }: Awaited<ReturnType<typeof get>>) =>
    body.sites.map(({ rkey }: { rkey: string }) => rkey)
  const key = { did: alice, id: 'id-1', domain: 'www.example.com' }
  const limits = { pendingMax: 9, domainsMax: 9, now: 8 }

  test('a site that is taken down is offline, alone or with its account, which its page tells apart', async () => {
    const facts = { status: 451, reason: 'no', actor: 'ruth', at: 9 } as const
    for (const name of ['blog', 'shop']) await publish(name, 5)
    const path = `sites/${alice}/blog`
    expect((await get(path)).body.takedown).toBeNull()
    await putTakedown(api().db, { did: alice, site: nameOf('blog'), ...facts })
    expect((await get('sites?state=offline')).body.sites).toEqual([
      { ...blogRow, state: 'offline' },
    ])
    expect(names(await get('sites?state=live'))).toEqual(['shop'])
    expect((await get(path)).body.takedown).toMatchObject({ scope: 'site', status: 451 })
    await putTakedown(api().db, { did: alice, site: '', ...facts })
    expect(names(await get('sites?state=offline'))).toHaveLength(2)
    expect((await get(path)).body.takedown).toMatchObject({ scope: 'account' })
  })

  test('sites and custom domains, exactly', async () => {
    await publish('blog', 5)
    await addCustomDomain(api().db, key, limits)
    expect(await get('sites')).toEqual({
      status: 200,
      body: {
        sites: [blogRow],
        customDomains: [
          {
            id: 'id-1',
            did: alice,
            handle: 'alice.test',
            domain: 'www.example.com',
            verified: false,
            rkey: null,
            lastCheckedAt: null,
            createdAt: '1970-01-01T00:00:00.008Z',
            warning: null,
            dns: expect.any(Object),
            found: { txt: false, cname: false },
            lost: false,
            zone: 'example.com',
          },
        ],
      },
    })
  })

  test('newest first, by limit and offset', async () => {
    for (let n = 0; n < 5; n++) await publish(`site-${n}`, n + 1)
    expect(names(await get('sites?limit=2'))).toEqual(['site-4', 'site-3'])
    expect(names(await get('sites?limit=2&offset=4'))).toEqual(['site-0'])
    for (const bad of ['limit=0', 'limit=201', 'offset=-1', 'cursor=no', 'state=well']) {
      expect([bad, (await get(`sites?${bad}`)).status]).toEqual([bad, 400])
    }
  })

  test.each(['1.5', '1e400', '9007199254740992'])('a cursor at %s: 400', async (time) => {
    const cursor = Buffer.from(`[${time},"did:plc:a","blog"]`).toString('base64url')
    expect(await get(`sites?cursor=${cursor}`)).toMatchObject({ status: 400 })
  })

  test('a search is read page by page', async () => {
    for (let n = 0; n < 5; n++) await publish(`site-${n}`, n + 1)
    await publish('blog', 9)
    const pages: string[][] = []
    for (let cursor = ''; cursor !== null; ) {
      const page = await get(`sites?search=site-&limit=2${cursor && `&cursor=${cursor}`}`)
      pages.push(names(page))
      cursor = page.body.cursor
    }
    expect(pages).toEqual([['site-4', 'site-3'], ['site-2', 'site-1'], ['site-0']])
  })

  test('a page of a search has the domains of its sites', async () => {
    const { db } = api()
    const domain = 'alice.sites.example.net'
    await publish('blog', 5)
    await publish('shop', 6)
    await claimSubdomain(db, { did: alice, domain }, { subdomainsMax: 3, now: 7 })
    await mapSubdomain(db, { did: alice, domain }, siteOf('blog').name, 8)
    const found = await get('sites?search=alice.sites')
    expect(found.body).toEqual({
      sites: [{ ...blogRow, domains: [{ type: 'sitehost', domain }] }],
      customDomains: [],
      cursor: null,
    })
  })
})

describe('GET /api/admin/overview', () => {
  test('the service at a glance', async () => {
    await publish('blog', 5)
    await publish('shop', 6, bob)
    expect((await get('overview')).body).toEqual({
      version: '1.2.3',
      startedAt: '2030-01-01T00:00:00.000Z',
      accounts: 2,
      sites: 2,
      bytes: 2000,
      diskFreeBytes: 5,
      diskTotalBytes: 10,
      databaseBytes: 4096,
      firehose: { lagSeconds: 3, lastEventSeconds: 4, connected: true },
      queues: { sites: 0, versions: 0, accounts: 0, jobs: 0, parked: 0 },
      ...{ certificates24h: 0, certificates: null, reportsOpen: 0, errors24h: 0 },
      lastBackupAt: '2030-01-01T00:00:00.000Z',
      hostingReachable: true,
      processes: [
        {
          ...{ kind: 'service', pid: 7, restarts: 0, residentBytes: 1000 },
          startedAt: '2030-01-01T00:00:00.000Z',
        },
      ],
      instances: [],
    })
    const instance = { id: 'a', address: 'http://10.0.0.1:3002', roles: 'app', version: '1.2.3' }
    await registerInstance(api().db, { ...instance, run: 'run' })
    await createJob(api().db, newJob({ instance: 'a' }), { queuedMax: 5, now: 1 })
    expect((await get('overview')).body['instances']).toEqual([
      { ...instance, startedAt: expect.any(String), seenSeconds: 0, jobs: 1, deploys: 0 },
    ])
    api().operations.hasHosting = false
    expect((await get('overview')).body).toMatchObject({
      firehose: { lagSeconds: null, lastEventSeconds: null, connected: false },
      hostingReachable: false,
    })
  })
})

test.each(['overview', 'series?metric=requests'])(
  '%s, which open pages ask for, does not keep the session alive',
  async (path) => {
    api().now += 20 * minuteMs
    expect((await get(path)).status).toBe(200)
    api().now += 11 * minuteMs
    expect((await get(path)).status).toBe(401)
  },
)

test('other reads keep the session alive', async () => {
  api().now += 20 * minuteMs
  expect((await get('health')).status).toBe(200)
  api().now += 11 * minuteMs
  expect((await get('overview')).status).toBe(200)
})

test('GET /api/admin/overview: what the log has of the last day', async () => {
  const { db, now } = api()
  const entry = { service: 'main-app', traceId: null, context: {} } as const
  const permitted = {
    ...entry,
    level: 'info',
    message: 'm',
    event: 'certificate_permitted',
  } as const
  const failed = { ...entry, level: 'error', message: 'broken', event: null } as const
  const dayMs = 24 * hour
  await appendLogEntries(db, [
    { ...permitted, at: now - dayMs - 1, context: { host: 'old.test' } },
    { ...permitted, at: now - dayMs, context: { host: 'a.test' } },
    { ...permitted, at: now, context: { host: 'b.test' } },
    { ...permitted, at: now, context: { host: 'b.test' } },
  ])
  await countErrors(db, [
    { ...failed, at: now },
    { ...failed, at: now },
  ])
  expect((await get('overview')).body).toMatchObject({ certificates24h: 2, errors24h: 1 })
})

describe('GET /api/admin/series', () => {
  beforeEach(() => {
    const { requests } = api().operations
    requests.observe('app', 200, 1000)
    requests.observe('edge', 503, 2000)
    api().now += minuteMs
    requests.endMinute()
    api().now += minuteMs / 2
  })
  const at = Date.UTC(2030, 0, 1)
  const times = [at + minuteMs, at + 1.5 * minuteMs]

  const charts: [string, number[], [string, unknown[]][]][] = [
    [
      'requests',
      times,
      [
        ['app', [1, 0]],
        ['sites', [1, 0]],
      ],
    ],
    [
      'errors',
      times,
      [
        ['app', [0, 0]],
        ['sites', [1, 0]],
      ],
    ],
    ['ingest-lag', [at], [['lag', [3]]]],
    ['disk', [at], [['free', [5]]]],
  ]
  test.each(charts)('%s', async (metric, times, series) => {
    expect((await get(`series?metric=${metric}`)).body).toEqual({
      times,
      series: series.map(([name, values]) => ({ name, values })),
    })
  })

  test('latency', async () => {
    const { body } = await get('series?metric=latency')
    expect(body.series.map(({ name }: { name: string }) => name)).toEqual([
      'app p50',
      'sites p50',
      'app p95',
      'sites p95',
      'app p99',
      'sites p99',
    ])
    expect(body.series[1].values).toEqual([expect.closeTo(2, 1), null])
  })

  test('without the hosting part, its values are not known', async () => {
    api().operations.hasHosting = false
    const { series } = (await get('series?metric=requests')).body
    expect(series[1]).toEqual({ name: 'sites', values: [null, null] })
    expect((await get('series?metric=ingest-lag')).body.times).toEqual([])
  })
})
