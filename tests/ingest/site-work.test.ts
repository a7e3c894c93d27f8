import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Identities } from '#atproto/identity/identity.ts'
import { diskBlobStore } from '#blobs/disk.ts'
import { DiskFloor } from '#blobs/disk-floor.ts'
import type { Lane } from '#concurrency/lane.ts'
import { Lanes } from '#concurrency/lanes.ts'
import { retriesMs, runWork } from '#ingest/run-work.ts'
import { type SiteWorkContext, siteWork } from '#ingest/site-work.ts'
import type { Log } from '#observe/log.ts'
import { createSafeFetch } from '#outbound/safe-fetch.ts'
import { noDiskSpace } from '#site/limits.ts'
import type { Did } from '#site/site-address.ts'
import type { SiteName } from '#site/site-name.ts'
import { setAccountStatus } from '#store/accounts/account-status.ts'
import { findAccount, upsertAccount } from '#store/accounts/accounts.ts'
import type { Database } from '#store/database/database.ts'
import { WakeUps } from '#store/database/wake-ups.ts'
import { rememberVisited } from '#store/lifecycle/visited-accounts.ts'
import { enqueueSites } from '#store/queues/enqueue.ts'
import { takeDue } from '#store/queues/take-due.ts'
import { listUnreadSites } from '#store/queues/unread.ts'
import { putInLine, type WorkItem } from '#store/queues/work-items.ts'
import { findSite } from '#store/sites/sites.ts'
import { memoryDatabase } from '#tests/support/database/databases.ts'
import { queuedAccounts } from '#tests/support/database/queued-accounts.ts'
import { alice, siteOf } from '#tests/support/database/sample-rows.ts'
import { askedAt } from '#tests/support/database/work-rows.ts'
import { countIngest } from '#tests/support/publishing/count-ingest.ts'
import { type FakePds, startFakePds } from '#tests/support/servers/fake-pds.ts'
import { eventually } from '../support/eventually.ts'

let dir: string
let database: Database
let pds: FakePds
let wakeUps: WakeUps
let stop: AbortController
let running: Promise<void> | undefined
let now: number
const log: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'worker-'))
  database = await memoryDatabase()
  await upsertAccount(database.db, { did: alice }, 1)
  pds = await startFakePds(alice)
  wakeUps = new WakeUps()
  stop = new AbortController()
  running = undefined
  now = 1_000_000
})
afterEach(async () => {
  stop.abort()
  await running
  await pds[Symbol.asyncDispose]()
  await database[Symbol.asyncDispose]()
  await rm(dir, { recursive: true })
})

function start(facts: Partial<SiteWorkContext> = {}): void {
  const context = contextOf(facts)
  running = runWork([siteWork(context)], context)
}

function contextOf(facts: Partial<SiteWorkContext> = {}): SiteWorkContext {
  const fetch = createSafeFetch({ allowPrivate: true })
  return {
    db: database.db,
    blobs: diskBlobStore({ dir }),
    identities: new Identities({ fetch, plcUrl: pds.url, allowHttp: true }),
    fetch,
    limits: { fileBytesMax: 10_000, siteBytesMax: 20_000 },
    wakeUps,
    log,
    now: () => now,
    signal: stop.signal,
    ...facts,
  }
}

async function write(name: string): Promise<void> {
  await pds.putRecord(`place.sitehost.fs/${name}`, {
    $type: 'place.sitehost.fs',
    site: name,
    root: { type: 'directory', entries: [] },
    createdAt: '2026-01-01T00:00:00.000Z',
  })
}

async function ask(...names: string[]): Promise<void> {
  const sites = names.map((name) => siteOf(name))
  await enqueueSites({ db: database.db, wakeUps, now: () => now }, sites)
}

const isLive = async (name: string): Promise<boolean> =>
  (await findSite(database.db, siteOf(name)))?.live != null
const rows = () =>
  database.db
    .selectFrom('workItems')
    .where('kind', '=', 'site')
    .select(['site as name', 'attempts', 'nextAttemptAt', 'leasedUntil', 'lastError'])
    .execute()

test('what is queued goes live, before the start and after it', async () => {
  await write('early')
  await ask('early')
  start()
  await eventually(async () => expect(await isLive('early')).toBe(true))
  await write('late')
  await ask('late')
  await eventually(async () => expect(await isLive('late')).toBe(true))
  await eventually(async () => expect(await countIngest(database.db)).toBe(0))
})

test('many are worked off, a few at once', async () => {
  const names = Array.from({ length: 11 }, (_, i) => `site${i}`)
  for (const name of names) await write(name)
  await ask(...names)
  start()
  await eventually(async () => expect(await countIngest(database.db)).toBe(0))
  for (const name of names) expect(await isLive(name)).toBe(true)
})

test('events that repeat do not bring a refused version again, even if the system clock is corrected', async () => {
  const node = {
    type: 'file',
    blob: pds.addBlob('no gzip'),
    mimeType: 'text/html',
    encoding: 'gzip',
  }
  await pds.putRecord('place.sitehost.fs/blog', {
    $type: 'place.sitehost.fs',
    site: 'blog',
    root: { type: 'directory', entries: [{ name: 'a.html', node }] },
    createdAt: '2026-01-01T00:00:00.000Z',
  })
  start()
  for (let asked = 0; asked < 3; asked++) {
    await ask('blog')
    await eventually(async () => expect(await countIngest(database.db)).toBe(0))
    now += 24 * 3_600_000
  }
  expect(pds.requests.filter((request) => request.startsWith('getRecord'))).toHaveLength(3)
  expect(pds.requests.filter((request) => request.startsWith('getBlob'))).toHaveLength(1)
})

test('a failure is tried again later, and later each time', async () => {
  pds.lies.proof = async () => new Response('away', { status: 500 })
  start()
  await ask('blog')
  const failed = async (attempts: number, nextAttemptAt: number) =>
    await eventually(async () => {
      expect(await rows()).toMatchObject([
        { name: 'blog', attempts, nextAttemptAt, leasedUntil: 0 },
      ])
    })
  await failed(1, now + 15_000)
  expect((await rows())[0]?.lastError).toContain('record not available')
  now += 15_000
  wakeUps.notify('site')
  await failed(2, now + 60_000)

  delete pds.lies.proof
  await write('blog')
  now += 60_000
  wakeUps.notify('site')
  await eventually(async () => expect(await isLive('blog')).toBe(true))
})

test('while the disk is nearly full it is tried every minute, for as long as that takes', async () => {
  const space = { free: 0, total: 1024 ** 4 }
  const floor = new DiskFloor(dir, { diskSpace: async () => space })
  const blob = pds.addBlob('a page')
  await pds.putRecord('place.sitehost.fs/blog', {
    $type: 'place.sitehost.fs',
    site: 'blog',
    root: { type: 'directory', entries: [{ name: 'a', node: { type: 'file', blob } }] },
    createdAt: '2026-01-01T00:00:00.000Z',
  })
  start({ blobs: diskBlobStore({ dir, floor }) })
  await ask('blog')
  for (let n = 0; n < retriesMs.length + 2; n++) {
    const waiting = { attempts: 0, nextAttemptAt: now + 60_000, lastError: noDiskSpace }
    await eventually(async () => expect(await rows()).toMatchObject([waiting]))
    now += 60_000
    wakeUps.notify('site')
  }
  space.free = space.total
  now += 60_000
  wakeUps.notify('site')
  await eventually(async () => expect(await isLive('blog')).toBe(true))
})

test('the waiting grows to a day; then it is parked until it is asked for', async () => {
  expect(retriesMs.map((ms) => ms / 1000)).toEqual([15, 60, 900, 3600, 21_600, 86_400])
  pds.lies.proof = async () => new Response('away', { status: 500 })
  start()
  await ask('blog')
  for (const [i, ms] of retriesMs.entries()) {
    await eventually(async () =>
      expect(await rows()).toMatchObject([{ attempts: i + 1, nextAttemptAt: now + ms }]),
    )
    now += ms
    wakeUps.notify('site')
  }
  const error = expect.stringContaining('record not available')
  await eventually(async () =>
    expect(await listUnreadSites(database.db, alice)).toEqual([
      { ...siteOf('blog'), attempts: 7, error, nextAttemptAt: null },
    ]),
  )
  expect(await countIngest(database.db)).toBe(0)

  delete pds.lies.proof
  await write('blog')
  now += 15_000
  await ask('blog')
  await eventually(async () => expect(await isLive('blog')).toBe(true))
})

test('one that fails keeps none of the others', async () => {
  pds.lies.document = () => ({ id: 'did:plc:zzzzzzzzzzzzzzzzzzzzzzzz' })
  start()
  await ask('a', 'b', 'c', 'd', 'e')
  await eventually(async () => {
    expect((await rows()).map(({ lastError }) => lastError?.slice(0, 23))).toEqual(
      Array(5).fill('cannot resolve identity'),
    )
  })
})

test('a row whose name is none is dropped', async () => {
  await enqueueSites(askedAt(database.db, now), [{ did: alice, name: '..' as SiteName }])
  start()
  await eventually(async () => expect(await countIngest(database.db)).toBe(0))
})

async function neverEnding(): Promise<void> {
  pds.lies.blob = () => new Response(new ReadableStream({ pull: () => new Promise(() => {}) }))
  const blob = pds.addBlob('never comes')
  await pds.putRecord('place.sitehost.fs/blog', {
    $type: 'place.sitehost.fs',
    site: 'blog',
    root: { type: 'directory', entries: [{ name: 'a', node: { type: 'file', blob } }] },
    createdAt: '2026-01-01T00:00:00.000Z',
  })
  start()
  await ask('blog')
  await eventually(async () => expect(pds.requests.at(-1)).toStartWith('getBlob'))
}

test('stopping leaves what was under way to whoever starts next, at once', async () => {
  await neverEnding()
  stop.abort(new Error('stopped'))
  await running
  expect(await rows()).toMatchObject([{ name: 'blog', nextAttemptAt: now, leasedUntil: 0 }])
})

const trickling = (open: () => void) =>
  new Response(
    new ReadableStream({
      start: (controller) => controller.enqueue(new Uint8Array(1)),
      async pull() {
        open()
        await new Promise(() => {})
      },
    }),
  )

test('stopping does not wait for a server that trickles a proof', async () => {
  const asked = Promise.withResolvers<void>()
  pds.lies.proof = async () => trickling(asked.resolve)
  start()
  await ask('blog')
  await asked.promise
  stop.abort(new Error('stopped'))
  await running
  expect(await rows()).toMatchObject([{ name: 'blog', nextAttemptAt: now, leasedUntil: 0 }])
})

test('what takes long stays taken; what a killed process had taken is free within seconds', async () => {
  await neverEnding()
  now += 3_000
  await eventually(async () => {
    const [row] = await rows()
    expect(row?.leasedUntil).toBeWithin(now + 5_000, now + 10_001)
  })
})

test('an account that went away unheard is found to be so', async () => {
  const refusal = { error: 'RepoTakendown' }
  pds.lies.proof = async () => Response.json(refusal, { status: 400 })
  pds.lies.status = () => Response.json({ did: alice, active: false, status: 'takendown' })
  start()
  await ask('blog')
  await eventually(async () =>
    expect(await findAccount(database.db, alice)).toMatchObject({ status: 'takendown' }),
  )
})

const queuedAccount = async () => (await queuedAccounts(database.db)).map(({ did }) => did)

test.each(['deactivated', 'suspended', 'takendown', 'deleted'] as const)(
  'an account that is said to be %s, and whose server gives its sites all the same, is asked for again',
  async (status) => {
    await setAccountStatus(database.db, alice, status, 1)
    await write('blog')
    start()
    await ask('blog')
    await eventually(async () => expect(await isLive('blog')).toBe(true))
    await eventually(async () => expect(await queuedAccount()).toEqual([alice]))
  },
)

test('one that is active is not', async () => {
  await write('blog')
  start()
  await ask('blog')
  await eventually(async () => expect(await countIngest(database.db)).toBe(0))
  expect(await queuedAccount()).toEqual([])
})

test('a server that is wrong about an account for a moment hides it until its site is read the next time', async () => {
  await write('blog')
  const refusal = () => Response.json({ error: 'RepoNotFound' }, { status: 400 })
  pds.lies.proof = async () => refusal()
  pds.lies.status = refusal
  start()
  await ask('blog')
  const isHidden = async () => (await findAccount(database.db, alice))?.status === 'deleted'
  await eventually(async () => expect(await isHidden()).toBe(true))
  await eventually(async () => expect((await rows())[0]?.lastError).not.toBeNull())
  delete pds.lies.proof
  delete pds.lies.status
  now += 15_000
  wakeUps.notify('site')
  await eventually(async () => expect(await queuedAccount()).toEqual([alice]))
})

test('however many accounts of one server wait for it, an account of another is next', async () => {
  const crowd = Array.from({ length: 100 }, (_, i) => `did:web:slow-${i}.example` as Did)
  for (const did of crowd) await upsertAccount(database.db, { did, pds: 'https://slow.test' }, now)
  await enqueueSites(
    askedAt(database.db, now),
    crowd.map((did) => siteOf('blog', did)),
  )
  now += 1
  await write('blog')
  await ask('blog')
  let asked = 0
  start({ identities: identitiesBut(() => void asked++) })
  await eventually(async () => expect(await isLive('blog')).toBe(true))
  expect(asked).toBe(16)
})

test('an event does not bring back at once what has just failed', async () => {
  pds.lies.proof = async () => new Response('away', { status: 500 })
  start()
  await ask('blog')
  const due = async (attempts: number, nextAttemptAt: number) =>
    await eventually(async () =>
      expect(await rows()).toMatchObject([{ attempts, nextAttemptAt, leasedUntil: 0 }]),
    )
  let pauses = 0
  for (const [i, ms] of [1_000, 4_000, 15_000, 15_000].entries()) {
    await due(i + 1, now + (retriesMs[i] as number))
    await ask('blog')
    await due(i + 1, now + ms)
    now += ms
    pauses += 1
    wakeUps.notify('site')
  }
  await due(pauses + 1, now + (retriesMs[pauses] as number))
})

/** Of all accounts but Alice's nobody learns anything; `onAsk` is called for each. */
function identitiesBut(onAsk: () => void): SiteWorkContext['identities'] {
  const fetch = createSafeFetch({ allowPrivate: true })
  const identities = new Identities({ fetch, plcUrl: pds.url, allowHttp: true })
  return {
    verifiedHandle: async () => null,
    resolve(did, options) {
      if (did === alice) return identities.resolve(did, options)
      onAsk()
      return new Promise((_, reject) => {
        // One that is taken while the worker stops gets a signal that is aborted already.
        if (stop.signal.aborted) reject(new Error('aborted'))
        stop.signal.addEventListener('abort', () => reject(new Error('aborted')))
      })
    },
  }
}

test('however many visited accounts have servers that do not answer, others do not wait for them', async () => {
  const strangers = Array.from({ length: 20 }, (_, i) => `did:web:slow-${i}.example` as Did)
  for (const did of strangers) {
    await rememberVisited(database.db, did, now)
    await upsertAccount(database.db, { did }, now)
  }
  const sites = strangers.map((did) => siteOf('blog', did))
  await enqueueSites(askedAt(database.db, now), sites)
  let asked = 0
  start({ discoversVisited: true, identities: identitiesBut(() => void asked++) })
  await eventually(async () => expect(asked).toBeGreaterThanOrEqual(12))
  now += 1
  await write('blog')
  await ask('blog')
  await eventually(async () => expect(await isLive('blog')).toBe(true))
  expect(asked).toBe(12)
})

test('slow work gives way to a site in the line of a server that may hold more lanes', async () => {
  const share = { host: 2, domain: 2 }
  const lanes = new Lanes(3, { detachedMax: 2, shares: { quick: share, slow: share } })
  const preempted: string[] = []
  const holdLane = (account: string, host: string, isSlow: boolean): void => {
    const run = async (lane: Lane): Promise<void> => {
      if (isSlow) lane.isHeldUp()
      await new Promise((resolve) => lane.signal.addEventListener('abort', resolve))
      preempted.push(account)
    }
    void lanes.start({ run, onSlow: () => {}, party: { account, host } })
  }
  for (const n of [1, 2, 3]) holdLane(`slow ${n}`, `pds.slow${n}.test`, true)
  for (const n of [1, 2]) holdLane(`quick ${n}`, 'pds.full.test', false)
  expect(lanes.capacity).toBe(0)

  const isAnyDue = async (): Promise<boolean> => {
    const work = siteWork(contextOf())
    await work.startDue(lanes, () => expect.unreachable())
    return await work.isAnyDue(lanes)
  }
  const items: WorkItem[] = []
  const put = (line: string) => putInLine(database.db, items, line)
  await ask('blog')
  items.push(...(await takeDue(database.db, { kind: 'site', now, leaseMs: 1_000, limit: 1 })))
  expect(await isAnyDue()).toBe(false)
  await put('quick pds.full.test')
  expect(await isAnyDue()).toBe(false)
  await put('slow pds.other.test')
  expect(await isAnyDue()).toBe(false)
  await put('quick pds.other.test')
  expect(await isAnyDue()).toBe(true)
  lanes.preemptSlow()
  await eventually(async () => expect(preempted).toEqual(['slow 3']))
})
