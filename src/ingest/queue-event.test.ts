import { afterEach, beforeEach, expect, test } from 'bun:test'
import type { FirehoseEvent } from '#atproto/follow-firehose.ts'
import type { Did } from '#site/site-address.ts'
import { upsertAccount } from '#store/accounts.ts'
import { type Database, openDatabase } from '#store/database.ts'
import { Hints } from '#store/hints.ts'
import { migrate } from '#store/migrate.ts'
import { recordingLog } from '#tests/support/api.ts'
import { alice, bob, siteOf } from '#tests/support/sample-rows.ts'
import { goLive, snapshotOf } from '#tests/support/served-site.ts'
import { queueEvent } from './queue-event.ts'

let database: Database
let forgotten: Did[]
beforeEach(async () => {
  database = openDatabase({})
  await migrate(database)
  // Alice is known, and so are two of her sites; of bob, who is not, there is one.
  await upsertAccount(database.db, { did: alice }, 1)
  for (const site of [siteOf('a'), siteOf('b'), siteOf('c', bob)]) {
    await goLive(database.db, snapshotOf({}, site))
  }
  forgotten = []
})
afterEach(() => database[Symbol.asyncDispose]())

/** Alike, whichever did it is and wherever it stands. */
type Told<Event> = Event extends unknown ? Omit<Event, 'did' | 'cursor'> : never

async function queuedBy(event: Told<FirehoseEvent>, did: Did, meetsAll = false) {
  const { db } = database
  const isQueued = await queueEvent({ cursor: 1, did, ...event } as FirehoseEvent, {
    ...{ db, meetsAll, hints: new Hints(), log: recordingLog(), now: () => 5 },
    identities: { forget: (one) => void forgotten.push(one) },
  })
  const sites = await db.selectFrom('ingestQueue').select(['name']).orderBy('name').execute()
  const accounts = await db.selectFrom('accountQueue').select(['did', 'isUrgent']).execute()
  const queued = [
    ...sites.map(({ name }) => String(name)),
    ...accounts.map((row) => `${row.did === alice ? 'alice' : 'bob'}${row.isUrgent ? '!' : ''}`),
  ]
  expect(isQueued).toBe(queued.length > 0)
  return queued
}

const written = (collection: string, rkey: string) =>
  ({ kind: 'site', collection: `place.sitehost.${collection}`, rkey }) as const
const gone = { kind: 'account', active: false, status: 'deactivated' } as const
const back = { kind: 'account', active: true, status: null } as const

const rows: [string, Told<FirehoseEvent>, string[], string[]][] = [
  ['a manifest, of a new site', written('fs', 'new'), ['new'], []],
  ['settings', written('settings', 'a'), ['a'], []],
  ['a part: every site', written('subfs', '3kaaaaaaaaaa2'), ['a', 'b'], []],
  ['a key that no site has', written('fs', 'a/b'), [], []],
  ['an account that went', gone, ['alice!'], []],
  ['an account that is back', back, ['alice!'], []],
  ['an account that is another', { kind: 'identity' }, ['alice!'], []],
  ['a repository that changed as a whole', { kind: 'sync' }, ['alice!'], []],
  ['a gap, whoever is next', { kind: 'gap', reason: 'outdated-cursor' }, ['alice'], ['alice']],
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

test('a stranger with a site is met where everybody is', async () => {
  expect(await queuedBy(written('fs', 'new'), bob, true)).toEqual(['bob!'])
})

test.each([gone, { kind: 'identity' } as const])(
  'a stranger is not met for anything else: %j',
  async (event) => {
    expect(await queuedBy(event, bob, true)).toEqual([])
  },
)

test('what an old key signed is not believed for one moment longer', async () => {
  await queuedBy({ kind: 'identity' }, alice)
  expect(forgotten).toEqual([alice])
})
