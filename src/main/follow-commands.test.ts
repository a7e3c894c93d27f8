import { expect, test } from 'bun:test'
import { endSessions } from '#admin/accounts.ts'
import { sessionKind } from '#atproto/oauth/oauth.ts'
import { Tally } from '#observe/tally.ts'
import { putSealed } from '#store/accounts/sealed-rows.ts'
import { appendEventCounts, readChanges } from '#store/database/changes.ts'
import { WakeUps } from '#store/database/wake-ups.ts'
import { recordingLog, testApi } from '#tests/support/api.ts'
import { alice, bob } from '#tests/support/database/sample-rows.ts'
import { eventually } from '#tests/support/eventually.ts'
import { followCommands } from './follow-commands.ts'

const api = testApi()
const by = { actor: 'cli:ruth', reason: 'a lost notebook' }

const contextOf = ({ db, logged, network }: ReturnType<typeof api>) => ({
  ...{ db, log: recordingLog(logged), now: () => api().now, wakeUps: new WakeUps() },
  oauth: network.oauth,
})

async function follow() {
  const { db } = api()
  const events = new Tally<string>()
  const follower = followCommands({ ...contextOf(api()), events })
  follower.follow(await readChanges(db, 0))
  return { events, follower }
}

test('the events of commands count once, and only those that there are', async () => {
  const { db } = api()
  await appendEventCounts(db, { admin_acted: 2, made_up: 1 }, 1)
  await appendEventCounts(db, { admin_acted: 1, taken_down: 1 }, 2)
  const { events, follower } = await follow()
  follower.follow(await readChanges(db, 0))
  expect(events.counts).toEqual({ admin_acted: 3, taken_down: 1 })
})

test('whoever a command signs out loses the grant at once, and nobody else', async () => {
  const { db, network } = api()
  for (const did of [alice, bob]) {
    await putSealed(db, { kind: sessionKind, key: did, sealed: 'tokens', expiresAt: null })
    await api().signedIn(did)
  }
  await endSessions(alice, by, contextOf(api()))
  await follow()
  await eventually(async () =>
    expect([network.sessions.has(alice), network.sessions.has(bob)]).toEqual([false, true]),
  )
})
