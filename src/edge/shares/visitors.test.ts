import { afterEach, beforeEach, expect, test } from 'bun:test'
import { createDispatch } from '#edge/dispatch.ts'
import { SiteInMemory } from '#edge/site-in-memory.ts'
import { parseTrustedProxies } from '#http/client-address.ts'
import { siteLabel } from '#site/site-address.ts'
import { utcDayOf } from '#site/utc-day.ts'
import type { Database } from '#store/database/database.ts'
import { visitorsByDay } from '#store/sites/visitors.ts'
import { listVisits } from '#store/sites/visits.ts'
import { recordingLog } from '#tests/support/api.ts'
import { memoryDatabase } from '#tests/support/database/databases.ts'
import { tablesNaming } from '#tests/support/database/named-in.ts'
import { siteOf } from '#tests/support/database/sample-rows.ts'
import { eventually } from '#tests/support/eventually.ts'
import { visitedSite } from '#tests/support/visitors/edge.ts'
import { goLive, snapshotOf } from '#tests/support/visitors/served-site.ts'
import { saveTraffic, trafficInRows } from './save-traffic.ts'
import { SiteShares } from './site-shares.ts'

const blog = siteOf('blog')
const label = siteLabel(blog)
const dayMs = 24 * 60 * 60 * 1000
const none = { requestsPerSecondMax: null, bytesPerDayMax: null }
const visited = visitedSite({
  'index.html': { body: '<p>a page' },
  'a.png': { body: 'an image', contentType: 'image/png' },
})

let database: Database
beforeEach(async () => {
  database = await memoryDatabase()
  await goLive(database.db, snapshotOf({}, blog))
})
afterEach(() => database[Symbol.asyncDispose]())

interface From {
  readonly address?: string
  readonly userAgent?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly path?: string
  readonly method?: string
}

/** A process of the service, until it is stopped. */
async function open() {
  const clock = { elapsed: 0, now: Date.UTC(2030, 0, 1, 12) }
  const shares = new SiteShares({
    limits: { site: none, account: none },
    elapsed: () => clock.elapsed,
    now: () => clock.now,
  })
  const known = new SiteInMemory(visited.known.site, () => undefined, { share: shares.of(blog) })
  const trustedProxies = parseTrustedProxies('10.0.0.1') ?? []
  const answer = createDispatch({
    application: () => new Response(),
    origin: 'https://app.test',
    applicationHost: 'app.test',
    baseDomain: 'sites.test',
    front: { countryHeader: 'cf-ipcountry', redirectsToHttps: false, trustedProxies },
    visits: {
      ...visited.context,
      awaited: { has: async () => false },
      gone: { get: async () => null },
      previews: { get: async () => null },
      takedowns: { get: async () => null },
      hosts: { get: async () => null },
      log: recordingLog(),
      now: () => clock.now,
      snapshots: { get: () => known },
    },
    addresses: {
      addresses: { get: async () => null },
      db: database.db,
      pages: visited.context.pages,
      siteUrl: () => 'unused',
      discover: undefined,
    },
    metrics: { observe: () => undefined },
    elsewhere: null,
  })
  const end = new AbortController()
  const saved = saveTraffic({
    ...{ shares, store: trafficInRows(database.db), log: recordingLog(), signal: end.signal },
  })
  await eventually(async () => expect(shares.saltlessDay).toBeNull())
  const visit = async ({ address = '192.0.2.1', ...from }: From = {}): Promise<void> => {
    const { headers = {}, method = 'GET', path = '/', userAgent = 'Firefox' } = from
    const request = new Request(`http://${label}.sites.test${path}`, {
      method,
      headers: { host: `${label}.sites.test`, 'user-agent': userAgent, ...headers },
    })
    const server = { requestIP: () => ({ address }) } as unknown as Bun.Server<undefined>
    const { status } = await answer(request, server)
    expect(status).toBeLessThan(500)
  }
  const stop = async (): Promise<void> => {
    end.abort()
    await saved
  }
  return { clock, shares, stop, visit }
}

const counted = async (): Promise<number[]> =>
  (await visitorsByDay(database.db, blog, 0)).map(({ visitors }) => visitors)

const another = { headers: { 'x-forwarded-for': '198.51.100.7' } }
for (const [what, visits, visitors] of [
  ['one who comes again', [{}, {}], 1],
  ['another network', [{}, { address: '192.0.2.2' }], 2],
  ['another browser', [{}, { userAgent: 'Chromium' }], 2],
  ['a /64 of IPv6', [{ address: '2001:db8::1' }, { address: '2001:db8::2' }], 1],
  ['two of them', [{ address: '2001:db8::1' }, { address: '2001:db8:0:1::1' }], 2],
  [
    'who comes by a trusted proxy',
    [{ address: '10.0.0.1', ...another }, { address: '198.51.100.7' }],
    1,
  ],
  ['who only says so', [another, {}], 1],
  ['whose page did not change', [{ headers: { 'if-none-match': '*' } }, {}], 1],
  ['a HEAD', [{ method: 'HEAD' }], null],
  ['an image', [{ path: '/a.png' }], null],
  ['a missing page', [{ path: '/missing' }], null],
] as const) {
  test(`${what}: ${visitors ?? 'no'} visitors`, async () => {
    const { stop, visit } = await open()
    for (const from of visits) await visit(from)
    await stop()
    expect(await counted()).toEqual(visitors === null ? [] : [visitors])
  })
}

test('who asks two processes is one visitor', async () => {
  const [first, second] = [await open(), await open()]
  for (const { visit } of [first, second]) await visit()
  await Promise.all([first.stop(), second.stop()])
  expect(await counted()).toEqual([1])
})

test('no row holds an address or a user agent, nor what the salt and they would make', async () => {
  const { stop, visit } = await open()
  await visit({ address: '192.0.2.77', userAgent: 'TellTale/1.0' })
  const salt = await database.db.selectFrom('visitorSalts').select('salt').executeTakeFirstOrThrow()
  await stop()
  expect(await counted()).toEqual([1])
  const hash = Bun.hash.wyhash(`${salt.salt}192.0.2.77 TellTale/1.0`)
  const low = Number(hash & 0xffffffffn)
  for (const text of ['192.0.2', 'TellTale', String(hash), String(low), low.toString(16)]) {
    expect([text, await tablesNaming(database.db, text)]).toEqual([text, []])
  }
  // Of the 64 bits, eleven and the number of zeros that follow.
  const row = await database.db.selectFrom('siteVisitors').selectAll().executeTakeFirstOrThrow()
  expect(Buffer.from(row.sketch ?? '', 'base64').length).toBe(2)
})

test('on the next day everybody is a new visitor, of that day alone', async () => {
  const { clock, shares, stop, visit } = await open()
  const today = utcDayOf(clock.now)
  const day = await database.db.selectFrom('visitorSalts').selectAll().execute()
  expect(day.map((row) => row.day)).toEqual([today])
  await visit()
  clock.now += dayMs
  await shares.save(async () => [])
  expect(shares.saltlessDay).toBe(today + 1)
  // Until the salt of the day is known nobody is told apart.
  await visit()
  shares.setSalt(today, 'of yesterday')
  expect(shares.saltlessDay).toBe(today + 1)
  shares.setSalt(today + 1, 'of today')
  await visit()
  await stop()
  expect(await counted()).toEqual([1])
})

test('visitors that could not be saved are part of the next', async () => {
  const { shares, stop, visit } = await open()
  await visit()
  await expect(shares.save(() => Promise.reject(new Error('away')))).rejects.toThrow('away')
  await visit({ address: '192.0.2.2' })
  await stop()
  expect(await counted()).toEqual([2])
})

test('countries of views are those that a trusted front says', async () => {
  const { stop, visit } = await open()
  const from = (country: string) => ({ headers: { 'cf-ipcountry': country } })
  for (const country of ['de', 'DE', 'FR', 'XX', 'nonsense']) {
    await visit({ address: '10.0.0.1', ...from(country) })
  }
  await visit(from('US'))
  await stop()
  expect(await listVisits(database.db, blog, { kind: 'country', limit: 9, since: 0 })).toEqual([
    { value: 'DE', count: 2 },
    { value: 'FR', count: 1 },
  ])
})

test('in a second, the visitors of a thousand views of a site are told apart', async () => {
  const { clock, stop, visit } = await open()
  for (const second of [0, 1]) {
    clock.elapsed = second * 1_000
    for (let n = 0; n < 1_300; n++) await visit({ userAgent: `browser ${second} ${n}` })
  }
  await stop()
  const [visitors = 0] = await counted()
  expect(Math.abs(visitors - 2_000)).toBeLessThan(2_000 * 0.07)
})
