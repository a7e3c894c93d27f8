import { beforeEach, expect, test } from 'bun:test'
import { sessionKind } from '#atproto/oauth/oauth.ts'
import { getSealed, putSealed } from '#store/accounts/sealed-rows.ts'
import { deleteEndedSessions } from '#store/accounts/sessions.ts'
import { finishJob } from '#store/queues/job-steps.ts'
import { createJob } from '#store/queues/jobs.ts'
import { recordingLog, testApi } from '#tests/support/api.ts'
import { alice, bob, newJob } from '#tests/support/database/sample-rows.ts'
import { sessionIdleMs } from './sessions.ts'
import { UnusedSessions } from './unused-sessions.ts'

const api = testApi()
let sessions: UnusedSessions
let failure: Error | null
beforeEach(() => {
  const { db, logged, network } = api()
  failure = null
  sessions = new UnusedSessions({
    db,
    now: () => api().now,
    log: recordingLog(logged),
    oauth: {
      revoke: async (did, isUnused) => {
        if (failure !== null) throw failure
        await network.oauth.revoke(did, isUnused)
      },
    },
  })
})

/** Signed in, with tokens stored as the OAuth library stores them. */
async function signIn(did = alice, sealed = 'tokens'): Promise<string> {
  await putSealed(api().db, { kind: sessionKind, key: did, sealed, expiresAt: null })
  return await api().signedIn(did)
}

async function look(times: number): Promise<void> {
  for (let i = 0; i < times; i++) {
    await deleteEndedSessions(api().db, 'browserSessions', {
      now: api().now,
      idleMs: sessionIdleMs,
    })
    await sessions.revoke()
  }
}

const isStored = async (did = alice) =>
  (await getSealed(api().db, { kind: sessionKind, key: did }, 0)) !== null
const isGranted = async (did = alice) => [api().network.sessions.has(did), await isStored(did)]

test('while a browser is signed in, nothing is revoked', async () => {
  await signIn()
  api().now += sessionIdleMs - 1
  await look(3)
  expect(await isGranted()).toEqual([true, true])
})

test('when the last browser session has run out, the account’s session is revoked', async () => {
  await signIn()
  await signIn(bob)
  api().now += sessionIdleMs
  const cookie = await api().signedIn(bob)
  await look(2)
  expect([await isGranted(), await isGranted(bob)]).toEqual([
    [false, false],
    [true, true],
  ])
  expect((await api().request('/api/user/status', { headers: { cookie } })).status).toBe(200)
})

test('a job that runs keeps it; signed out meanwhile, it ends with the job', async () => {
  const cookie = await signIn()
  const job = newJob()
  await createJob(api().db, job, { queuedMax: 5, now: 1 })
  await api().request('/api/auth/logout', { method: 'POST', headers: { cookie } })
  await look(3)
  expect(await isGranted()).toEqual([true, true])
  await finishJob(api().db, job.id, { status: 'failed', error: 'x' }, 2)
  await look(2)
  expect(await isGranted()).toEqual([false, false])
})

test('one look is not enough, and whoever signs in between two keeps the session', async () => {
  await signIn()
  api().now += sessionIdleMs
  await look(1)
  expect(await isGranted()).toEqual([true, true])
  // A sign-in stores the tokens first, and the browser session a moment later.
  await putSealed(api().db, { kind: sessionKind, key: alice, sealed: 'new', expiresAt: null })
  await look(1)
  expect(await isGranted()).toEqual([true, true])
})

test('whoever signs in while it is asked to end keeps the session', async () => {
  await signIn()
  api().now += sessionIdleMs
  const { oauth } = api().network
  const { revoke } = oauth
  oauth.revoke = async (did, isUnused) => {
    await signIn(did, 'new')
    await revoke(did, isUnused)
  }
  await look(2)
  expect(await isGranted()).toEqual([true, true])
})

test('a server that does not answer does not keep it alive here', async () => {
  await signIn()
  api().now += sessionIdleMs
  failure = new Error('no answer')
  await look(2)
  expect(await isStored()).toBe(false)
  expect(api().logged.map(({ message }) => message)).toEqual(['session not revoked'])
})
