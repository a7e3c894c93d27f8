import { afterEach, beforeEach, expect, test } from 'bun:test'
import * as Cbor from '@atcute/cbor'
import type { Log } from '#observe/log.ts'
import { upsertAccount } from '#store/accounts/accounts.ts'
import type { Database } from '#store/database/database.ts'
import { WakeUps } from '#store/database/wake-ups.ts'
import { DutyLostError } from '#store/duties.ts'
import { readFirehoseCursor, saveFirehoseCursor } from '#store/sites/firehose-cursors.ts'
import { memoryDatabase } from '#tests/support/database/databases.ts'
import { alice, bob, siteOf } from '#tests/support/database/sample-rows.ts'
import { workRows } from '#tests/support/database/work-rows.ts'
import { eventually } from '#tests/support/eventually.ts'
import { goLive, snapshotOf } from '#tests/support/visitors/served-site.ts'
import { followSites } from './follow.ts'

let database: Database
let server: Bun.Server<undefined>
let frames: Uint8Array[]
let cursors: (string | null)[]
let warnings: string[]
let stop: AbortController
let running: Promise<void>
let lock: () => Promise<void>

beforeEach(async () => {
  database = await memoryDatabase()
  await upsertAccount(database.db, { did: alice }, 1)
  frames = []
  cursors = []
  warnings = []
  lock = () => Promise.resolve()
  stop = new AbortController()
  server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch(request, self) {
      cursors.push(new URL(request.url).searchParams.get('cursor'))
      self.upgrade(request)
    },
    websocket: {
      message: () => undefined,
      open(socket) {
        for (const bytes of frames) socket.send(bytes)
      },
    },
  })
})
afterEach(async () => {
  stop.abort()
  await running
  await server.stop(true)
  await database[Symbol.asyncDispose]()
})

function start(): void {
  const log: Log = {
    debug: () => {},
    info: () => {},
    warn: (message, fields) => warnings.push(`${message} ${JSON.stringify(fields)}`),
    error: () => {},
  }
  running = followSites({
    db: database.db,
    wakeUps: new WakeUps(),
    log,
    firehoseUrl: server.url.origin,
    identities: { forget: () => {} },
    discoversAll: false,
    now: () => 5,
    signal: stop.signal,
    term: { lock: () => lock() },
  })
}

const frame = (header: object, body: object): Uint8Array =>
  Buffer.concat([Cbor.encode(header), Cbor.encode(body)])
const commit = (seq: number, repo: string, ...paths: string[]): Uint8Array =>
  frame({ op: 1, t: '#commit' }, { seq, repo, ops: paths.map((path) => ({ path })) })

const cursor = () => readFirehoseCursor(database.db, server.url.origin)
const queued = async () => {
  const rows = await workRows(database.db, 'site')
  return rows.map(({ did, site }) => `${did === alice ? 'alice' : did}/${site}`).sort()
}

test('sites of known accounts are queued, and the cursor covers them', async () => {
  frames = [
    commit(1, alice, 'place.sitehost.fs/a', 'app.bsky.feed.post/x', 'place.sitehost.fs/b'),
    commit(2, bob, 'place.sitehost.fs/c'),
    commit(3, alice, 'app.bsky.feed.post/y'),
    commit(4, alice, 'place.sitehost.fs/a', 'place.sitehost.fs/d'),
  ]
  start()
  await eventually(async () => expect(await cursor()).toBe(4))
  expect(await queued()).toEqual(['alice/a', 'alice/b', 'alice/d'])
  expect(cursors).toEqual([null])
})

test('a part that changes or goes has every site of its account queued', async () => {
  for (const name of ['a', 'b']) await goLive(database.db, snapshotOf({}, siteOf(name)))
  frames = [
    commit(1, bob, 'place.sitehost.subfs/3kaaaaaaaaaa2'),
    commit(2, alice, 'place.sitehost.subfs/3kaaaaaaaaaa2', 'place.sitehost.fs/new'),
  ]
  start()
  await eventually(async () => expect(await cursor()).toBe(2))
  expect(await queued()).toEqual(['alice/a', 'alice/b', 'alice/new'])
})

test('the settings of a site have it queued, whether it is known yet or not', async () => {
  frames = [
    commit(1, bob, 'place.sitehost.settings/c'),
    commit(2, alice, 'place.sitehost.settings/a', 'place.sitehost.fs/a'),
    commit(3, alice, 'place.sitehost.settingsx/d'),
    commit(4, alice, 'place.sitehost.settings/b', 'place.sitehost.settings/..'),
  ]
  start()
  await eventually(async () => expect(await cursor()).toBe(4))
  expect(await queued()).toEqual(['alice/a', 'alice/b'])
})

test('it goes on where it was', async () => {
  await saveFirehoseCursor(database.db, server.url.origin, 41, 1)
  frames = [commit(42, alice, 'place.sitehost.fs/a')]
  start()
  await eventually(async () => expect(await cursor()).toBe(42))
  expect(cursors).toEqual(['41'])
})

test('frames that are none are logged and skipped', async () => {
  frames = [Buffer.from([0xff]), commit(-3, alice), commit(1, alice, 'place.sitehost.fs/a')]
  await saveFirehoseCursor(database.db, server.url.origin, 0, 1)
  start()
  await eventually(async () => expect(await cursor()).toBe(1))
  expect(warnings).toHaveLength(2)
})

test('a source that does not know the cursor is a gap, and is followed from then on', async () => {
  await saveFirehoseCursor(database.db, server.url.origin, 5000, 1)
  frames = [commit(1, alice, 'place.sitehost.fs/a')]
  start()
  await eventually(async () => expect(await cursor()).toBe(1))
  expect(warnings[0]).toStartWith('firehose has a gap {"reason":"future-cursor"')
  expect(await queued()).toEqual(['alice/a'])
})

test('an instance that no longer has the duty neither queues nor moves the cursor', async () => {
  await saveFirehoseCursor(database.db, server.url.origin, 41, 1)
  frames = [commit(42, alice, 'place.sitehost.fs/a')]
  lock = () => Promise.reject(new DutyLostError('firehose'))
  start()
  await expect(running).rejects.toBeInstanceOf(DutyLostError)
  expect([await cursor(), await queued()]).toEqual([41, []])
  running = Promise.resolve()
})
