import { expect, test } from 'bun:test'
import { onEachDatabase, onEachStore } from '#tests/support/databases.ts'
import { alice, bob, nameOf, newJob, progress } from '#tests/support/sample-rows.ts'
import { openDatabase } from './database.ts'
import {
  beginWriting,
  cancelJobUnlessWriting,
  createJob,
  deleteJobsFinishedBefore,
  findJob,
  findRunningJob,
  finishJob,
  type JobResult,
  listUnfinishedJobs,
  listUnfinishedSites,
  listWaitingAccounts,
  type NewJob,
  requeueJobs,
  startNextJob,
  updateJob,
} from './jobs.ts'
import { migrate } from './migrate.ts'

const queuedMax = 2
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
}

await onEachStore('store/jobs', (db) => {
  const create = (facts: Partial<NewJob> = {}, now = 1) =>
    createJob(db(), newJob(facts), { queuedMax, now })
  const createNamed = (id: string, now = 1) => create({ id, site: nameOf(id) }, now)
  const ids = async () => (await listUnfinishedJobs(db())).map(({ id }) => id)

  test('a new job is pending', async () => {
    expect(await create({ id: 'a' }, 7)).toEqual({ created: true })
    expect(await findJob(db(), 'a')).toEqual({
      ...newJob({ id: 'a' }),
      status: 'pending',
      result: null,
      error: null,
      createdAt: 7,
      updatedAt: 7,
      writingAt: null,
      finishedAt: null,
    })
    expect(await findJob(db(), 'b')).toBeNull()
  })

  test('a second one for the same site is refused, until the first has ended', async () => {
    await create({ id: 'a' })
    expect(await create()).toEqual({ created: false, reason: 'same-site-running' })
    await startNextJob(db(), alice, 2)
    expect(await create()).toEqual({ created: false, reason: 'same-site-running' })
    await finishJob(db(), 'a', { status: 'failed', error: 'no' }, 3)
    expect(await create()).toEqual({ created: true })
  })

  test('others wait behind it, up to the limit, an account apart from another', async () => {
    for (const id of ['a', 'b', 'c']) expect(await createNamed(id)).toEqual({ created: true })
    expect(await createNamed('d')).toEqual({ created: false, reason: 'queue-full' })
    expect(await create({ did: bob })).toEqual({ created: true })
  })

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

  test('one that was being carried out can go back into the queue, a finished one cannot', async () => {
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
    await createNamed('a')
    expect(await cancelJobUnlessWriting(db(), 'a', 'cancelled', 5)).toBe(true)
    expect(await findJob(db(), 'a')).toMatchObject({ status: 'failed', error: 'cancelled' })
    expect(await beginWriting(db(), 'a', 6)).toBe(false)

    await createNamed('b')
    await startNextJob(db(), alice, 7)
    expect(await beginWriting(db(), 'b', 8)).toBe(true)
    expect(await cancelJobUnlessWriting(db(), 'b', 'cancelled', 9)).toBe(false)
    expect(await findJob(db(), 'b')).toMatchObject({ status: 'processing', writingAt: 8 })
    await requeueJobs(db(), ['b'], 10)
    expect(await cancelJobUnlessWriting(db(), 'b', 'cancelled', 11)).toBe(true)
  })

  test('who waits: accounts with a pending job and none that runs, the longest first', async () => {
    await createNamed('a', 3)
    await createNamed('b', 4)
    await create({ did: bob }, 2)
    expect(await listWaitingAccounts(db(), 10)).toEqual([bob, alice])
    expect(await listWaitingAccounts(db(), 1)).toEqual([bob])
    await startNextJob(db(), alice, 5)
    expect(await listWaitingAccounts(db(), 10)).toEqual([bob])
    expect((await listUnfinishedSites(db(), alice)).sort()).toEqual([nameOf('a'), nameOf('b')])
  })

  test('only what is given is changed', async () => {
    await create({ id: 'a' })
    await startNextJob(db(), alice, 2)
    expect(await updateJob(db(), 'a', { status: 'uploading' }, 3)).toBe(true)
    expect(await updateJob(db(), 'a', { progress: { ...progress, filesProcessed: 2 } }, 4)).toBe(
      true,
    )
    expect(await updateJob(db(), 'a', { plan: 'other' }, 5)).toBe(true)
    expect(await findJob(db(), 'a')).toMatchObject({
      status: 'uploading',
      progress: { ...progress, filesProcessed: 2 },
      plan: 'other',
      updatedAt: 5,
    })
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

  test('a failure says why', async () => {
    await create({ id: 'a' })
    await finishJob(db(), 'a', { status: 'failed', error: 'a\0b.html is too large' }, 5)
    expect(await findJob(db(), 'a')).toMatchObject({
      status: 'failed',
      error: 'a\u{FFFD}b.html is too large',
      result: null,
    })
  })

  test('unfinished jobs are listed oldest first, finished ones are dropped after a while', async () => {
    await createNamed('c', 1)
    await createNamed('a', 2)
    await createNamed('b', 3)
    await finishJob(db(), 'a', { status: 'failed', error: 'no' }, 10)
    expect(await ids()).toEqual(['c', 'b'])
    await deleteJobsFinishedBefore(db(), 10)
    expect(await findJob(db(), 'a')).not.toBeNull()
    await deleteJobsFinishedBefore(db(), 11)
    expect(await findJob(db(), 'a')).toBeNull()
    expect(await ids()).toEqual(['c', 'b'])
  })
})

await onEachDatabase('store/jobs with two instances', (make) => {
  test('however many come at once, the limits hold', async () => {
    await using own = await make()
    await using one = openDatabase(own.options)
    await using two = openDatabase(own.options)
    await migrate(one)
    const dbOf = (n: number) => (n % 2 ? one : two).db

    const sameSite = Array.from({ length: 10 }, (_, n) =>
      createJob(dbOf(n), newJob(), { queuedMax, now: 1 }),
    )
    const admitted = await Promise.all(sameSite)
    expect(admitted.filter(({ created }) => created)).toHaveLength(1)

    const others = Array.from({ length: 10 }, (_, n) =>
      createJob(dbOf(n), newJob({ site: nameOf(`site-${n}`) }), { queuedMax, now: 1 }),
    )
    expect((await Promise.all(others)).filter(({ created }) => created)).toHaveLength(queuedMax)

    const starts = Array.from({ length: 10 }, (_, n) => startNextJob(dbOf(n), alice, 2))
    expect((await Promise.all(starts)).filter((job) => job !== null)).toHaveLength(1)
  })
})
