import { afterAll, beforeAll, expect, test } from 'bun:test'
import { answerInternal } from '#main/hosting/answer-internal.ts'
import { WritingInstance } from '#main/hosting/ask-as-edge.ts'
import { remoteTraffic } from '#main/hosting/remote-traffic.ts'
import { utcDayOf } from '#site/utc-day.ts'
import { VisitorSketch } from '#site/visitor-sketch.ts'
import type { Database } from '#store/database/database.ts'
import { WakeUps } from '#store/database/wake-ups.ts'
import { listTraffic } from '#store/sites/traffic.ts'
import { visitorsByDay } from '#store/sites/visitors.ts'
import { listVisits } from '#store/sites/visits.ts'
import { type LoggedLine, recordingLog } from '#tests/support/api.ts'
import { memoryDatabase } from '#tests/support/database/databases.ts'
import { alice, siteOf } from '#tests/support/database/sample-rows.ts'
import { goLive, snapshotOf } from '#tests/support/visitors/served-site.ts'

const token = 'a-token-of-all-instances'
const now = Date.now()
const day = utcDayOf(now)
const blog = siteOf('blog')

let database: Database
let server: Bun.Server<undefined>

beforeAll(async () => {
  database = await memoryDatabase()
  await goLive(database.db, snapshotOf({}, blog))
  const unused = () => {
    throw new Error('not asked')
  }
  const edge = {
    ...{ db: database.db, wakeUps: new WakeUps(), now: () => now },
    discover: async () => ({ kind: 'known', did: alice }) as const,
  }
  server = Bun.serve({
    port: 0,
    fetch: (request, self) =>
      answerInternal(request, self, {
        ...{ edge, token, sync: unused },
        hosting: { cache: unused, metrics: unused },
      }),
  })
})
afterAll(async () => {
  await server.stop(true)
  await database[Symbol.asyncDispose]()
})

const instanceAt = (url: string | null, given = token): WritingInstance =>
  new WritingInstance({
    findUrl: async () => url,
    token: given,
    signal: new AbortController().signal,
  })

const counted = (values: readonly string[] = ['/']) => {
  const sketch = new VisitorSketch()
  sketch.add(0x12345678)
  const { did, name: site } = blog
  const traffic = { did, requests: 2, bytes: 300, refused: 1 }
  return {
    traffic: [
      { ...traffic, site },
      { ...traffic, site: '' as const },
    ],
    visits: values.map((value) => ({ did, site, kind: 'page' as const, value, count: 2 })),
    visitors: [{ did, site, sketch }],
  }
}

test('counts are stored by the instance, which answers what the rows have then', async () => {
  const traffic = remoteTraffic(instanceAt(server.url.href), recordingLog())
  await traffic.add(day, counted())
  const totals = await traffic.add(day, counted())
  expect(totals?.toSorted((a, b) => (a.site < b.site ? -1 : 1))).toEqual([
    { did: blog.did, site: '', bytes: 600 },
    { did: blog.did, site: blog.name, bytes: 600 },
  ])
  expect(await listTraffic(database.db, blog.did, day)).toHaveLength(2)
  const pages = { kind: 'page', limit: 9, since: day } as const
  expect(await listVisits(database.db, blog, pages)).toEqual([{ value: '/', count: 4 }])
  expect(await visitorsByDay(database.db, blog, day)).toEqual([{ day, visitors: 1 }])
  expect(await traffic.saltOf(day)).toBe(await traffic.saltOf(day))
})

test('work items, visits of accounts and discoveries are the instance’s', async () => {
  const instance = instanceAt(server.url.href)
  await instance.ask({ kind: 'missing', did: alice, name: 'lost', versionKey: null })
  const items = await database.db.selectFrom('workItems').select(['kind', 'site']).execute()
  expect(items.map(({ kind, site }) => `${kind} ${site}`)).toContain('site lost')
  expect(await instance.write({ kind: 'visited', dids: [alice] })).toBeNull()
  const discovery = await instance.ask({
    kind: 'discover',
    owner: { did: alice },
    client: '192.0.2.1',
  })
  expect(discovery).toEqual({ kind: 'known', did: alice })
})

test('names that do not fit a question are left out, and counted', async () => {
  const lines: LoggedLine[] = []
  const traffic = remoteTraffic(instanceAt(server.url.href), recordingLog(lines))
  const long = 'x'.repeat(3 * 1024 * 1024)
  expect(await traffic.add(day, counted([`1${long}`, `2${long}`, `3${long}`]))).not.toBeNull()
  expect(lines).toMatchObject([{ message: 'visits lost: too many at a time', fields: { rows: 1 } }])
})

test('a question is refused without the token, of another day, too large, or none', async () => {
  const stranger = instanceAt(server.url.href, 'another-token-of-somebody')
  await expect(stranger.ask({ kind: 'salt', day })).rejects.toThrow('status=401')
  const instance = instanceAt(server.url.href)
  await expect(instance.ask({ kind: 'salt', day: day + 2 })).rejects.toThrow('status=400')
  const name = 'not a site name'
  const missing = { kind: 'missing', did: alice, name, versionKey: null } as const
  await expect(instance.ask(missing)).rejects.toThrow('status=400')
  const handle = 'x'.repeat(16 * 1024 * 1024)
  const large = { kind: 'discover', owner: { handle }, client: '' } as const
  await expect(instance.ask(large)).rejects.toThrow('status=413')
})

test('while no instance takes counts they are kept, and it is asked later', async () => {
  let asked = 0
  await using busy = Bun.serve({
    port: 0,
    fetch: () => {
      asked++
      return new Response(null, { status: 503 })
    },
  })
  const away = Bun.serve({ port: 0, fetch: () => new Response() })
  await away.stop(true)
  for (const url of [null, away.url.href, busy.url.href]) {
    const traffic = remoteTraffic(instanceAt(url), recordingLog())
    await expect(traffic.add(day, counted())).rejects.toThrow(/no other|not reached|status=503/)
    await expect(traffic.add(day, counted())).rejects.toThrow('later')
  }
  expect(asked).toBe(1)
})

test('counts that may be stored are lost, and said to be', async () => {
  using cut = Bun.listen({
    hostname: '127.0.0.1',
    port: 0,
    socket: { data: (socket) => void socket.terminate() },
  })
  const lines: LoggedLine[] = []
  const traffic = remoteTraffic(instanceAt(`http://127.0.0.1:${cut.port}`), recordingLog(lines))
  expect(await traffic.add(day, counted())).toBeNull()
  expect(lines).toMatchObject([
    { message: 'traffic of sites lost: no answer', fields: { sites: 1 } },
  ])
})
