import { expect, test } from 'bun:test'
import { inTrace, newTrace } from '#observe/trace.ts'
import { openDatabase } from '#store/database/database.ts'
import { onEachStore } from '#tests/support/database/databases.ts'
import { alice, bob, nameOf, newJob } from '#tests/support/database/sample-rows.ts'
import { finishJob, startNextJob } from './job-steps.ts'
import {
  createJob,
  deleteJobsFinishedBefore,
  findJob,
  listUnfinishedJobs,
  type NewJob,
} from './jobs.ts'

const queuedMax = 2

onEachStore('store/queues/jobs', (db) => {
  const create = (facts: Partial<NewJob> = {}, now = 1) =>
    createJob(db(), newJob(facts), { queuedMax, now })
  const createNamed = (id: string, now = 1) => create({ id, site: nameOf(id) }, now)
  const ids = async () => (await listUnfinishedJobs(db())).map(({ id }) => id)

  test('a job remembers the request that began it', async () => {
    const trace = newTrace()
    await inTrace(trace, () => create({ id: 'a' }))
    expect((await findJob(db(), 'a'))?.traceId).toBe(trace.id)
  })

  test('a new job is pending', async () => {
    expect(await create({ id: 'a' }, 7)).toEqual({ created: true })
    expect(await findJob(db(), 'a')).toEqual({
      ...newJob({ id: 'a' }),
      instance: '',
      status: 'pending',
      result: null,
      error: null,
      expectedCid: null,
      createdAt: 7,
      updatedAt: 7,
      dueAt: null,
      startedAt: null,
      writingAt: null,
      finishedAt: null,
      traceId: null,
    })
    expect(await findJob(db(), 'b')).toBeNull()
  })

  test('a second job for the same site is rejected until the first has ended', async () => {
    await create({ id: 'a' })
    expect(await create()).toEqual({ created: false, reason: 'same-site-running' })
    await startNextJob(db(), alice, 2)
    expect(await create()).toEqual({ created: false, reason: 'same-site-running' })
    await finishJob(db(), 'a', { status: 'failed', error: 'no' }, 3)
    expect(await create()).toEqual({ created: true })
  })

  test('others wait behind it, up to the limit of each account', async () => {
    for (const id of ['a', 'b', 'c']) expect(await createNamed(id)).toEqual({ created: true })
    expect(await createNamed('d')).toEqual({ created: false, reason: 'queue-full' })
    expect(await create({ did: bob })).toEqual({ created: true })
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

onEachStore('store/queues/jobs with two instances', (_, __, options) => {
  test('the limits hold for concurrent callers', async () => {
    await using one = openDatabase(options())
    await using two = openDatabase(options())
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
