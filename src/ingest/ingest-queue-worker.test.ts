import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Identities } from '#atproto/identity.ts'
import { createSafeFetch } from '#atproto/safe-fetch.ts'
import { diskBlobStore } from '#blobs/disk.ts'
import type { Log } from '#observe/log.ts'
import type { SiteName } from '#site/site-name.ts'
import { findAccount, upsertAccount } from '#store/accounts.ts'
import { type Database, openDatabase } from '#store/database.ts'
import { Hints } from '#store/hints.ts'
import { countIngest, enqueueIngest } from '#store/ingest-queue.ts'
import { migrate } from '#store/migrate.ts'
import { findSite } from '#store/sites.ts'
import { eventually } from '#tests/support/eventually.ts'
import { type FakePds, startFakePds } from '#tests/support/fake-pds.ts'
import { alice, siteOf } from '#tests/support/sample-rows.ts'
import { retryAfterMs, runIngestQueue } from './ingest-queue-worker.ts'

let dir: string
let database: Database
let pds: FakePds
let hints: Hints
let stop: AbortController
let running: Promise<void> | undefined
let now: number
const log: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'worker-'))
  database = openDatabase({})
  await migrate(database)
  pds = await startFakePds(alice)
  hints = new Hints()
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

function start(): void {
  const fetch = createSafeFetch({ allowPrivate: true })
  running = runIngestQueue({
    db: database.db,
    blobs: diskBlobStore({ dir }),
    identities: new Identities({ fetch, plcUrl: pds.url, allowHttp: true }),
    fetch,
    limits: { fileBytesMax: 10_000, siteBytesMax: 20_000 },
    hints,
    log,
    now: () => now,
    signal: stop.signal,
  })
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
  await enqueueIngest(
    database.db,
    names.map((name) => siteOf(name)),
    now,
  )
  hints.notify('ingest')
}

const isLive = async (name: string): Promise<boolean> =>
  (await findSite(database.db, siteOf(name)))?.live != null
const rows = () =>
  database.db
    .selectFrom('ingestQueue')
    .select(['name', 'attempts', 'nextAttemptAt', 'leasedUntil', 'lastError'])
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
  hints.notify('ingest')
  await failed(2, now + 60_000)

  delete pds.lies.proof
  await write('blog')
  now += 60_000
  hints.notify('ingest')
  await eventually(async () => expect(await isLive('blog')).toBe(true))
})

test('the waiting grows to a day and stays there', () => {
  const seconds = [1, 2, 3, 4, 5, 6, 7, 1000].map((attempts) => retryAfterMs(attempts) / 1000)
  expect(seconds).toEqual([15, 60, 900, 3600, 21_600, 86_400, 86_400, 86_400])
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
  await enqueueIngest(database.db, [{ did: alice, name: '..' as SiteName }], now)
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
      async pull(controller) {
        open()
        await Bun.sleep(2000)
        controller.enqueue(new Uint8Array(1))
      },
    }),
  )

test('stopping does not wait for a server that trickles a proof', async () => {
  const asked = Promise.withResolvers<void>()
  pds.lies.proof = async () => trickling(asked.resolve)
  start()
  await ask('blog')
  await asked.promise
  const stoppedAt = performance.now()
  stop.abort(new Error('stopped'))
  await running
  expect(performance.now() - stoppedAt).toBeLessThan(1000)
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
  await upsertAccount(database.db, { did: alice }, 1)
  const refusal = { error: 'RepoTakendown' }
  pds.lies.proof = async () => Response.json(refusal, { status: 400 })
  pds.lies.status = () => Response.json({ did: alice, active: false, status: 'takendown' })
  start()
  await ask('blog')
  await eventually(async () =>
    expect(await findAccount(database.db, alice)).toMatchObject({ status: 'takendown' }),
  )
})
