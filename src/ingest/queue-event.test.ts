import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { FirehoseEvent } from '#atproto/firehose/firehose-format.ts'
import type { Did } from '#site/site-address.ts'
import { parseAnySiteName } from '#site/site-name.ts'
import { upsertAccount } from '#store/accounts/accounts.ts'
import { didHash } from '#store/accounts/did-hash.ts'
import { latestChangeSeq, readChanges } from '#store/database/changes.ts'
import type { Database } from '#store/database/database.ts'
import { WakeUps } from '#store/database/wake-ups.ts'
import { enqueueSites } from '#store/queues/enqueue.ts'
import { parkedAt } from '#store/queues/work-items.ts'
import { recordingLog } from '#tests/support/api.ts'
import { memoryDatabase } from '#tests/support/database/databases.ts'
import { alice, bob, siteOf } from '#tests/support/database/sample-rows.ts'
import { askedAt, workRows } from '#tests/support/database/work-rows.ts'
import { goLive, snapshotOf } from '#tests/support/visitors/served-site.ts'
import { queueAll, queueEvents } from './queue-event.ts'

let database: Database
let forgotten: Did[]
beforeEach(async () => {
  database = await memoryDatabase()
  // Alice is known, and so are two of her sites; bob is not.
  await upsertAccount(database.db, { did: alice }, 1)
  for (const site of [siteOf('a'), siteOf('b')]) {
    await goLive(database.db, snapshotOf({}, site))
  }
  forgotten = []
})
afterEach(() => database[Symbol.asyncDispose]())

/** Alike, whichever did it is and wherever it stands. */
type Told<Event> = Event extends unknown ? Omit<Event, 'did' | 'cursor'> : never

async function queuedBy(event: Told<FirehoseEvent>, did: Did, discoversAll = false) {
  const { db } = database
  const isAnyQueued = await queueEvents([{ cursor: 1, did, ...event } as FirehoseEvent], {
    db,
    discoversAll,
    wakeUps: new WakeUps(),
    log: recordingLog(),
    now: () => 5,
    identities: { forget: (one) => void forgotten.push(one) },
  })
  const queued = await queue()
  expect(isAnyQueued).toBe(queued.length > 0)
  return queued
}

async function queue(): Promise<string[]> {
  const { db } = database
  const sites = await workRows(db, 'site')
  const versions = await workRows(db, 'version')
  const accounts = await workRows(db, 'account')
  return [
    ...[...sites, ...versions].map(({ site }) => String(site)),
    ...accounts.map(
      (row) => `${row.did === alice ? 'alice' : 'bob'}${row.priority === 1 ? '!' : ''}`,
    ),
  ]
}

const written = (collection: string, rkey: string) =>
  ({ kind: 'site', collection: `place.sitehost.${collection}`, rkey }) as const
const changed = { kind: 'account' } as const

const rows: [string, Told<FirehoseEvent>, string[], string[]][] = [
  ['a manifest, of a new site', written('fs', 'new'), ['new'], []],
  ['settings', written('settings', 'a'), ['a'], []],
  ['a version record', written('version', '3kaaaaaaaaaa2'), ['3kaaaaaaaaaa2'], []],
  ['a version record with a key that none has', written('version', 'a'), [], []],
  ['a part: every site', written('subfs', '3kaaaaaaaaaa2'), ['a', 'b'], []],
  ['a key that no site has', written('fs', 'a/b'), [], []],
  ['an account that went or is back', changed, ['alice!'], []],
  ['an account that is another', { kind: 'identity' }, ['alice!'], []],
  ['a repository that changed as a whole', { kind: 'sync' }, ['alice!'], []],
  ['nothing', { kind: 'passed' }, [], []],
]

for (const [what, event, ofAlice, ofBob] of rows) {
  test(`${what}: of a known account`, async () => {
    expect(await queuedBy(event, alice)).toEqual(ofAlice)
  })
  test(`${what}: of a stranger`, async () => {
    expect(await queuedBy(event, bob)).toEqual(ofBob)
  })
}

test('a part: also sites that could not be read without it, though nothing of them is here', async () => {
  const { db } = database
  await enqueueSites(askedAt(db, 1), [siteOf('new')])
  await db.updateTable('workItems').set({ nextAttemptAt: parkedAt }).execute()
  expect(await queuedBy(written('subfs', '3kaaaaaaaaaa2'), alice)).toEqual(['a', 'b', 'new'])
  const due = (await workRows(db, 'site')).map(({ nextAttemptAt }) => nextAttemptAt)
  expect(due).toEqual([5, 5, 5])
})

test('names that somebody makes up are asked for up to a thousand, and nobody else waits for them', async () => {
  const { db } = database
  await upsertAccount(db, { did: bob }, 1)
  const event = (did: Did, rkey: string) => ({ cursor: 1, did, ...written('fs', rkey) }) as const
  const log = recordingLog()
  const context = {
    db,
    discoversAll: false,
    wakeUps: new WakeUps(),
    log,
    now: () => 5,
    identities: { forget: () => {} },
  }
  const madeUp = Array.from({ length: 1200 }, (_, n) => event(alice, `made-up-${n}`))
  await queueEvents([...madeUp, event(bob, 'c')] as FirehoseEvent[], context)
  await queueEvents([event(alice, 'one-more'), event(bob, 'd')] as FirehoseEvent[], context)
  const queued = await queue()
  expect(queued).toHaveLength(1002)
  expect(queued).not.toContain('one-more')
  expect(queued.filter((name) => !name.startsWith('made-up'))).toEqual(['c', 'd'])
})

test('after a gap, every known account is looked at', async () => {
  await queueAll('outdated-cursor', {
    db: database.db,
    discoversAll: false,
    wakeUps: new WakeUps(),
    log: recordingLog(),
    now: () => 5,
    identities: { forget: () => {} },
  })
  expect(await queue()).toEqual(['alice'])
})

describe('of another network', () => {
  const ofWisp = (collection: string, rkey: string) =>
    ({ kind: 'site', collection: `place.wisp.${collection}`, rkey }) as const
  const foreign = 'place.wisp.fs/a'
  beforeEach(async () => {
    const name = parseAnySiteName(foreign)
    if (name !== null) await goLive(database.db, snapshotOf({}, { did: alice, name }))
  })

  test.each([
    ['a manifest', ofWisp('fs', 'new'), ['place.wisp.fs/new']],
    ['settings', ofWisp('settings', 'a'), [foreign]],
    ['a part: every site of that network', ofWisp('subfs', 'x'), [foreign]],
    ['a part of ours: none of that network', written('subfs', 'x'), ['a', 'b']],
    ['what is no record of a site', ofWisp('domain', 'a'), []],
  ])('%s', async (_, event, queued) => expect(await queuedBy(event, alice)).toEqual(queued))
})

test('a stranger with a site is met where everybody is', async () => {
  expect(await queuedBy(written('fs', 'new'), bob, true)).toEqual(['bob!'])
})

test.each([changed, { kind: 'identity' } as const])(
  'a stranger is not met for anything else: %j',
  async (event) => {
    expect(await queuedBy(event, bob, true)).toEqual([])
  },
)

test('what an old key signed is not believed for one moment longer', async () => {
  await queuedBy({ kind: 'identity' }, alice)
  expect(forgotten).toEqual([alice])
})

test('other processes learn of a known account’s changed identity, and of no stranger’s', async () => {
  const before = await latestChangeSeq(database.db)
  await queuedBy({ kind: 'identity' }, bob)
  await queuedBy({ kind: 'identity' }, alice)
  expect(await readChanges(database.db, before)).toMatchObject([
    { kind: 'identity', didHash: didHash(alice) },
  ])
})
