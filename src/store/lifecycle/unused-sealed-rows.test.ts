import { expect, test } from 'bun:test'
import { createDeployToken, endDeployTokensOf } from '#store/accounts/deploy-tokens.ts'
import { getSealed, putSealed } from '#store/accounts/sealed-rows.ts'
import { createBrowserSession, deleteSession, touchSession } from '#store/accounts/sessions.ts'
import { finishJob } from '#store/queues/job-steps.ts'
import { createJob } from '#store/queues/jobs.ts'
import { onEachStore } from '#tests/support/database/databases.ts'
import { alice, bob, newJob, newToken } from '#tests/support/database/sample-rows.ts'
import { deleteSealedIfSame, isUnused, listUnusedSealed } from './unused-sealed-rows.ts'

onEachStore('store/lifecycle/unused-sealed-rows', (db) => {
  const kind = 'session'
  const put = (key: string, sealed = `of ${key}`) =>
    putSealed(db(), { kind, key, sealed, expiresAt: null })
  const clock = { now: 50, idleMs: 100 }
  const unused = async (limit = 10) =>
    (await listUnusedSealed(db(), kind, { limit, ...clock })).map(({ did }) => did)

  test('rows of accounts without a browser session are unused', async () => {
    await put(alice)
    await put(bob)
    await putSealed(db(), { kind: 'other', key: alice, sealed: 'x', expiresAt: null })
    await createBrowserSession(db(), { idHash: 'a', did: bob, expiresAt: 1000 }, 10)
    expect(await listUnusedSealed(db(), kind, { limit: 10, ...clock })).toEqual([
      { did: alice, sealed: `of ${alice}` },
    ])
    await deleteSession(db(), 'browserSessions', 'a')
    expect(await unused()).toEqual([alice, bob])
    expect(await unused(1)).toEqual([alice])
  })

  test('an unfinished job prevents it', async () => {
    await put(alice)
    await put(bob)
    const job = newJob()
    await createJob(db(), job, { queuedMax: 5, now: 1 })
    expect(await unused()).toEqual([bob])
    await finishJob(db(), job.id, { status: 'failed', error: 'x' }, 2)
    expect(await unused()).toEqual([alice, bob])
  })

  test('an unfinished account deletion prevents it', async () => {
    await put(alice)
    const deletion = { didHash: 'h', did: alice, deletedAt: 1, attempts: 0, nextAttemptAt: 1 }
    await db().insertInto('accountDeletions').values(deletion).execute()
    expect(await unused()).toEqual([])
    await db().updateTable('accountDeletions').set({ did: null }).execute()
    expect(await unused()).toEqual([alice])
  })

  test('a deploy token prevents it until it ends', async () => {
    await put(alice)
    const of = async (now: number) => [
      await isUnused(db(), alice, { ...clock, now }),
      (await listUnusedSealed(db(), kind, { limit: 10, ...clock, now })).length,
    ]
    await createDeployToken(db(), newToken({ expiresAt: 60 }), { tokensMax: 5, now: 1 })
    expect([await of(59), await of(60)]).toEqual([
      [false, 0],
      [true, 1],
    ])
    await endDeployTokensOf(db(), alice)
    expect(await of(59)).toEqual([true, 1])
  })

  test('an account is unused without a browser session and without an unfinished job', async () => {
    const of = async () => [await isUnused(db(), alice, clock), await isUnused(db(), bob, clock)]
    const job = newJob()
    await createBrowserSession(db(), { idHash: 'b', did: bob, expiresAt: 1000 }, 10)
    await createJob(db(), job, { queuedMax: 5, now: 1 })
    expect(await of()).toEqual([false, false])
    await deleteSession(db(), 'browserSessions', 'b')
    await finishJob(db(), job.id, { status: 'failed', error: 'x' }, 2)
    expect(await of()).toEqual([true, true])
  })

  test('an ended browser session does not count, even before its row is deleted', async () => {
    await put(alice)
    await createBrowserSession(db(), { idHash: 'a', did: alice, expiresAt: 1000 }, 10)
    const at = async (now: number) => [
      await isUnused(db(), alice, { now, idleMs: 100 }),
      (await listUnusedSealed(db(), kind, { limit: 10, now, idleMs: 100 })).length,
    ]
    expect([await at(109), await at(110)]).toEqual([
      [false, 0],
      [true, 1],
    ])
    await touchSession(db(), 'browserSessions', 'a', 950)
    expect([await at(999), await at(1000)]).toEqual([
      [false, 0],
      [true, 1],
    ])
  })

  test('a row that was replaced meanwhile is not deleted', async () => {
    await put(alice, 'one')
    await put(alice, 'two')
    await deleteSealedIfSame(db(), { kind, did: alice, sealed: 'one' })
    expect(await getSealed(db(), { kind, key: alice }, 0)).toBe('two')
    await deleteSealedIfSame(db(), { kind, did: alice, sealed: 'two' })
    expect(await getSealed(db(), { kind, key: alice }, 0)).toBeNull()
  })
})
