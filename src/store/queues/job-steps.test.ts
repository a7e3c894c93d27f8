import { expect, test } from 'bun:test'
import { upsertAccount } from '#store/accounts/accounts.ts'
import { onEachStore } from '#tests/support/database/databases.ts'
import {
  accountOf,
  alice,
  bob,
  nameOf,
  newJob,
  progress,
} from '#tests/support/database/sample-rows.ts'
import {
  beginWriting,
  cancelJobUnlessWriting,
  finishJob,
  listWaitingAccounts,
  putBackJob,
  rememberExpectedCid,
  requeueJobs,
  startNextJob,
  updateJob,
} from './job-steps.ts'
import {
  createJob,
  findJob,
  findRunningJob,
  type Job,
  type JobResult,
  listUnfinishedSites,
  type NewJob,
} from './jobs.ts'

const result: JobResult = {
  success: true,
  uri: 'at://x',
  cid: 'cid-1',
  fileCount: 3,
  siteName: 'blog',
  url: 'https://blog.test',
  live: true,
  uploadedCount: 1,
  reusedCount: 2,
  skippedFiles: [{ name: '.git', reason: 'left out' }],
  versionId: null,
  versionUrl: null,
  previewUrl: null,
  versionProblem: null,
  sizeNotice: null,
}

onEachStore('store/queues/job-steps', (db) => {
  const create = (facts: Partial<NewJob> = {}, now = 1) =>
    createJob(db(), newJob(facts), { queuedMax: 2, now })
  const createNamed = (id: string, now = 1) => create({ id, site: nameOf(id) }, now)

  const waiting = async (options: { limit: number; offset?: number; now: number }) =>
    (await listWaitingAccounts(db(), options)).map(({ did }) => did)

  test('jobs of an account run one at a time, oldest first', async () => {
    await createNamed('b', 1)
    await createNamed('a', 2)
    expect(await findRunningJob(db(), alice)).toBeNull()
    expect(await startNextJob(db(), alice, 5)).toMatchObject({
      id: 'b',
      status: 'processing',
      updatedAt: 5,
    })
    expect(await findRunningJob(db(), alice)).toMatchObject({ id: 'b' })
    expect(await startNextJob(db(), alice, 6)).toBeNull()
    await finishJob(db(), 'b', { status: 'failed', error: 'no' }, 7)
    expect(await startNextJob(db(), alice, 8)).toMatchObject({ id: 'a' })
    expect(await startNextJob(db(), bob, 8)).toBeNull()
  })

  test('a running job can be pending again, a finished one cannot', async () => {
    await createNamed('a')
    await createNamed('b')
    await startNextJob(db(), alice, 2)
    await requeueJobs(db(), ['a', 'b', 'unknown'], 3)
    expect(await findJob(db(), 'a')).toMatchObject({ status: 'pending', updatedAt: 3 })
    expect(await findJob(db(), 'b')).toMatchObject({ status: 'pending', updatedAt: 1 })
    await startNextJob(db(), alice, 4)
    await finishJob(db(), 'a', { status: 'failed', error: 'x' }, 5)
    await requeueJobs(db(), ['a'], 6)
    expect(await findJob(db(), 'a')).toMatchObject({ status: 'failed' })
  })

  test('a job can be cancelled until it begins to write, and not after that', async () => {
    const [a, b] = ['a', 'b'].map((id) => ({ id, did: alice })) as [
      Pick<Job, 'id' | 'did'>,
      Pick<Job, 'id' | 'did'>,
    ]
    await createNamed('a')
    expect(await cancelJobUnlessWriting(db(), a, 'cancelled', 5)).toBe('pending')
    expect(await findJob(db(), 'a')).toMatchObject({ status: 'failed', error: 'cancelled' })
    expect(await beginWriting(db(), 'a', 6)).toBe(false)

    await createNamed('b')
    await startNextJob(db(), alice, 7)
    expect(await beginWriting(db(), 'b', 8)).toBe(true)
    expect(await cancelJobUnlessWriting(db(), b, 'cancelled', 9)).toBeNull()
    expect(await findJob(db(), 'b')).toMatchObject({ status: 'processing', writingAt: 8 })
    await requeueJobs(db(), ['b'], 10)
    expect(await cancelJobUnlessWriting(db(), b, 'cancelled', 11)).toBe('pending')
  })

  test('accounts with a pending job and none that runs are listed, longest waiting first', async () => {
    await createNamed('a', 3)
    await createNamed('b', 4)
    await create({ did: bob }, 2)
    expect(await waiting({ limit: 10, now: 10 })).toEqual([bob, alice])
    expect(await waiting({ limit: 1, now: 10 })).toEqual([bob])
    await startNextJob(db(), alice, 5)
    expect(await waiting({ limit: 10, now: 10 })).toEqual([bob])
    expect((await listUnfinishedSites(db(), alice)).sort()).toEqual([nameOf('a'), nameOf('b')])
  })

  test('servers are listed round robin, page by page', async () => {
    const crowd = Array.from({ length: 20 }, (_, n) => accountOf(n))
    for (const [n, did] of [...crowd, bob].entries()) {
      const pds = did === bob ? 'https://other.test' : 'https://slow.test'
      await upsertAccount(db(), { did, pds }, 1)
      await create({ did, id: did }, n)
    }
    const rest = crowd.slice(1)
    expect(await waiting({ limit: 2, now: 30 })).toEqual([accountOf(0), bob])
    expect(await waiting({ limit: 100, offset: 2, now: 30 })).toEqual(rest)
  })

  const back = { progress, error: null, mayBeWritten: false }

  test('the reason why a job waits is shown until its next attempt', async () => {
    await createNamed('a', 1)
    await startNextJob(db(), alice, 2)
    const error = 'The disk is full.'
    await putBackJob(db(), { id: 'a', did: alice }, { ...back, dueAt: 4, error }, 3)
    expect(await findJob(db(), 'a')).toMatchObject({ status: 'pending', error })
    expect(await startNextJob(db(), alice, 4)).toMatchObject({ error: null })
  })

  test('a job that was put back runs again when it is due, before its account’s other jobs', async () => {
    await createNamed('a', 1)
    await createNamed('b', 2)
    await create({ did: bob }, 3)
    await startNextJob(db(), alice, 5)
    await updateJob(db(), 'a', { status: 'uploading' }, 6)
    await beginWriting(db(), 'a', 6)
    const a = { id: 'a', did: alice }
    const sent = { ...progress, filesUploaded: 2 }
    expect(await putBackJob(db(), a, { ...back, dueAt: 20, progress: sent }, 7)).toBe(true)
    expect(await findJob(db(), 'a')).toMatchObject({
      status: 'pending',
      progress: sent,
      plan: newJob().plan,
      dueAt: 20,
      startedAt: 5,
      writingAt: null,
      updatedAt: 7,
    })
    expect(await waiting({ limit: 10, now: 19 })).toEqual([bob])
    expect(await startNextJob(db(), alice, 19)).toBeNull()
    expect(await waiting({ limit: 10, now: 20 })).toEqual([alice, bob])
    expect(await startNextJob(db(), alice, 20)).toMatchObject({ id: 'a', startedAt: 5 })
  })

  test('a job whose site may be written cannot be cancelled while it waits, and remembers when it first wrote', async () => {
    await createNamed('a', 1)
    const a = { id: 'a', did: alice }
    await startNextJob(db(), alice, 5)
    await beginWriting(db(), 'a', 6)
    await putBackJob(db(), a, { ...back, dueAt: 20, mayBeWritten: true }, 7)
    expect(await cancelJobUnlessWriting(db(), a, 'cancelled', 8)).toBeNull()
    await startNextJob(db(), alice, 20)
    await beginWriting(db(), 'a', 21)
    expect(await findJob(db(), 'a')).toMatchObject({ writingAt: 6 })
    await putBackJob(db(), a, { ...back, dueAt: 30, mayBeWritten: true }, 22)
    await requeueJobs(db(), ['a'], 25)
    expect(await findJob(db(), 'a')).toMatchObject({ status: 'pending', writingAt: 25 })
  })

  test('a job that was put back waits behind jobs that were created before it was due', async () => {
    await createNamed('a', 1)
    await startNextJob(db(), alice, 2)
    await create({ did: bob }, 3)
    await putBackJob(db(), { id: 'a', did: alice }, { ...back, dueAt: 4 }, 4)
    expect(await waiting({ limit: 10, now: 10 })).toEqual([bob, alice])
  })

  test('an ended job is not put back', async () => {
    await createNamed('a')
    await startNextJob(db(), alice, 2)
    const a = { id: 'a', did: alice }
    expect(await cancelJobUnlessWriting(db(), a, 'cancelled', 3)).toBe('processing')
    expect(await putBackJob(db(), a, { ...back, dueAt: 4 }, 4)).toBe(false)
    expect(await findJob(db(), 'a')).toMatchObject({ status: 'failed' })
  })

  test('after a start, the time limit of jobs starts again', async () => {
    await createNamed('a', 1)
    await startNextJob(db(), alice, 2)
    await putBackJob(db(), { id: 'a', did: alice }, { ...back, dueAt: 9 }, 3)
    await requeueJobs(db(), ['a'], 4)
    expect(await findJob(db(), 'a')).toMatchObject({ startedAt: null, dueAt: 9 })
  })

  test('only the given fields change', async () => {
    await create({ id: 'a' })
    await startNextJob(db(), alice, 2)
    expect(await updateJob(db(), 'a', { status: 'uploading' }, 3)).toBe(true)
    expect(await updateJob(db(), 'a', { progress: { ...progress, filesProcessed: 2 } }, 4)).toBe(
      true,
    )
    expect(await findJob(db(), 'a')).toMatchObject({
      status: 'uploading',
      progress: { ...progress, filesProcessed: 2 },
      plan: newJob().plan,
      updatedAt: 4,
    })
  })

  test.each(['bafy', null])('the record that a site had first is kept: %s', async (first) => {
    await createNamed('a')
    await createNamed('b')
    expect(await rememberExpectedCid(db(), 'a', first)).toBe(first)
    expect(await rememberExpectedCid(db(), 'a', 'later')).toBe(first)
    expect(await rememberExpectedCid(db(), 'a', null)).toBe(first)
    expect(await rememberExpectedCid(db(), 'b', 'its own')).toBe('its own')
  })

  test('a second running job of an account is impossible', async () => {
    await createNamed('a', 1)
    await createNamed('b', 2)
    await startNextJob(db(), alice, 3)
    await expect(updateJob(db(), 'b', { status: 'processing' }, 4)).rejects.toThrow(/unique/i)
  })

  test('a job ends once, with its result and without its plan', async () => {
    await create({ id: 'a' })
    const done = { ...progress, phase: 'done' } as const
    expect(await finishJob(db(), 'a', { status: 'completed', progress: done, result }, 5)).toBe(
      true,
    )
    expect(await finishJob(db(), 'a', { status: 'failed', error: 'late' }, 6)).toBe(false)
    expect(await updateJob(db(), 'a', { status: 'uploading' }, 6)).toBe(false)
    expect(await findJob(db(), 'a')).toMatchObject({
      status: 'completed',
      progress: done,
      result,
      error: null,
      plan: '',
      finishedAt: 5,
    })
  })

  test('a failed job has its error', async () => {
    await create({ id: 'a' })
    await finishJob(db(), 'a', { status: 'failed', error: 'a\0b.html is too large' }, 5)
    expect(await findJob(db(), 'a')).toMatchObject({
      status: 'failed',
      error: 'a\u{FFFD}b.html is too large',
      result: null,
    })
  })
})
