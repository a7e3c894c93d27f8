import { expect, test } from 'bun:test'
import { isDeletedHere } from '#store/accounts/deleted-here.ts'
import { createBrowserSession } from '#store/accounts/sessions.ts'
import { WakeUps } from '#store/database/wake-ups.ts'
import { beginAccountDeletion, finishAccountDeletion } from '#store/lifecycle/account-deletions.ts'
import { type LoggedLine, recordingLog } from '#tests/support/api.ts'
import { memoryDatabase } from '#tests/support/database/databases.ts'
import { alice, bob } from '#tests/support/database/sample-rows.ts'
import { eventually } from '#tests/support/eventually.ts'
import { runMaintenance } from './run-maintenance.ts'

const yearsLater = 10 * 365 * 24 * 60 * 60 * 1000

test('an account that has left is recognised for good, whoever else is met', async () => {
  await using database = await memoryDatabase()
  const { db } = database
  await beginAccountDeletion(db, alice, 1)
  await finishAccountDeletion(db, alice, 2)
  await createBrowserSession(db, { idHash: 'ended', did: bob, expiresAt: 3 }, 2)

  const nobodyIsAsked = async () => {
    throw new Error('nothing has to be asked for')
  }
  const logged: LoggedLine[] = []
  const stop = new AbortController()
  const keeping = runMaintenance({
    db,
    wakeUps: new WakeUps(),
    log: recordingLog(logged),
    clientKeys: null,
    config: { logRowsMax: 1000 },
    spool: { instance: '', remove: async () => {} },
    now: () => yearsLater,
    signal: stop.signal,
    oauth: { revoke: nobodyIsAsked } as never,
    identities: { resolve: nobodyIsAsked } as never,
    fetch: nobodyIsAsked as never,
  })
  await eventually(async () => {
    expect(await db.selectFrom('browserSessions').select('idHash').execute()).toEqual([])
  })
  stop.abort()
  await keeping
  expect([logged, await isDeletedHere(db, alice)]).toEqual([[], true])
})
