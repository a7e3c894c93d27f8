import { describe, expect, test } from 'bun:test'
import { sql } from 'kysely'
import { inTransaction } from '#store/database/transaction.ts'
import { onEachStore } from '#tests/support/database/databases.ts'
import { alice, bob, nameOf, newDeploy, newJob } from '#tests/support/database/sample-rows.ts'
import { eventually } from '#tests/support/eventually.ts'
import { findContent, listMissing, recordArrived } from './deploy-contents.ts'
import {
  commitDeploy,
  createDeploy,
  deleteDeploy,
  deleteExpiredDeploys,
  findDeploy,
  findDeployPlan,
  forgetArrived,
  listOpenDeploys,
  type NewDeploy,
  reopenDeploy,
} from './deploys.ts'
import { cancelJobUnlessWriting, finishJob, startNextJob } from './job-steps.ts'
import { createJob, endedJobsAmong, findJob } from './jobs.ts'

const openMax = 2
const needed = [
  { sha256: 'a', bytes: 1 },
  { sha256: 'b', bytes: 2 },
]
const failed = { status: 'failed', error: 'no' } as const

onEachStore('store/queues/deploys', (db, dialect) => {
  const create = (facts: Partial<NewDeploy> = {}, now = 1) =>
    createDeploy(db(), newDeploy(facts), needed, { openMax, now })
  const arrive = (sha256: string, id = 'd') =>
    recordArrived(db(), id, { sha256, pack: `pack of ${sha256}`, offset: 0 })
  const commit = (id = 'd', now = 5) => commitDeploy(db(), newJob({ id }), { queuedMax: 5, now })

  /** A deploy `d` of which everything has arrived. */
  async function createWhole(): Promise<void> {
    await create({ id: 'd' })
    for (const { sha256 } of needed) await arrive(sha256)
  }

  test('a new deploy is open, and everything is missing', async () => {
    const deploy = newDeploy({ id: 'd' })
    expect(await create(deploy, 7)).toBe(true)
    const { plan, ...facts } = deploy
    const seen = { ...facts, instance: '', createdAt: 7, committedAt: null }
    expect(await findDeploy(db(), 'd', 8)).toEqual(seen)
    expect(await findDeployPlan(db(), 'd')).toBe(plan)
    expect(await listMissing(db(), 'd')).toEqual(['a', 'b'])
    expect(await findDeploy(db(), 'other', 8)).toBeNull()
  })

  test('an account has a limited number of open ones; expired and committed ones do not count', async () => {
    await createWhole()
    await create({ expiresAt: 10 })
    expect(await create({}, 9)).toBe(false)
    expect(await create({ did: bob }, 9)).toBe(true)
    expect(await create({}, 10)).toBe(true)
    expect(await create({}, 10)).toBe(false)
    await commit()
    expect(await create({}, 10)).toBe(true)
  })

  test('a content arrives once', async () => {
    await create({ id: 'd' })
    expect(await arrive('a')).toBe(true)
    expect(await arrive('a')).toBe(false)
    expect(await arrive('c')).toBe(false)
    expect(await findContent(db(), 'd', 'a')).toEqual({
      ...{ sha256: 'a', bytes: 1, pack: 'pack of a', offset: 0 },
    })
    expect(await findContent(db(), 'd', 'c')).toBeNull()
    expect(await listMissing(db(), 'd')).toEqual(['b'])
    expect(await listOpenDeploys(db(), 2)).toEqual(['d'])
  })

  test('what has arrived can be forgotten until the commit', async () => {
    await createWhole()
    expect(await forgetArrived(db(), 'd')).toBe(true)
    expect(await listMissing(db(), 'd')).toEqual(['a', 'b'])
    for (const { sha256 } of needed) await arrive(sha256)
    await commit()
    expect(await forgetArrived(db(), 'd')).toBe(false)
    expect(await listMissing(db(), 'd')).toEqual([])
  })

  describe('a commit', () => {
    test('makes a job with the same id, once', async () => {
      await createWhole()
      expect(await commit()).toEqual({ created: true })
      expect(await findJob(db(), 'd')).toMatchObject({ status: 'pending', site: 'blog' })
      expect(await findDeploy(db(), 'd', 6)).toMatchObject({ committedAt: 5 })
      expect(await commit()).toEqual({ created: false, reason: 'not-ready' })
      expect(await listOpenDeploys(db(), 6)).toEqual([])
    })

    test('keeps nothing of its files once its job has ended', async () => {
      await createWhole()
      await commit()
      expect(await findDeployPlan(db(), 'd')).not.toBeNull()
      await finishJob(db(), 'd', failed, 6)
      expect(await findDeployPlan(db(), 'd')).toBeNull()
      expect(await findContent(db(), 'd', 'a')).toBeNull()
      expect(await findDeploy(db(), 'd', 7)).toMatchObject({ committedAt: 5 })
    })

    test('keeps nothing of its files once it is cancelled', async () => {
      await createWhole()
      await commit()
      await cancelJobUnlessWriting(db(), { id: 'd', did: alice }, 'cancelled', 6)
      expect(await findDeployPlan(db(), 'd')).toBeNull()
      expect(await findContent(db(), 'd', 'a')).toBeNull()
    })

    test('waits for every content', async () => {
      await create({ id: 'd' })
      await arrive('a')
      expect(await commit()).toEqual({ created: false, reason: 'not-ready' })
      expect(await findJob(db(), 'd')).toBeNull()
    })

    test('leaves the deploy open when no job can be created', async () => {
      await createWhole()
      await createJob(db(), newJob(), { queuedMax: 5, now: 1 })
      expect(await commit()).toEqual({ created: false, reason: 'same-site-running' })
      expect(await findDeploy(db(), 'd', 6)).toMatchObject({ committedAt: null })
    })

    test('one of several concurrent ones makes the job', async () => {
      await createWhole()
      const outcomes = await Promise.all([commit(), commit(), commit()])
      expect(outcomes.filter(({ created }) => created)).toHaveLength(1)
    })
  })

  describe('a job whose contents have gone', () => {
    test('ends, and the deploy is open again, and can be committed again', async () => {
      await createWhole()
      await commit()
      await startNextJob(db(), alice, 6)
      const gone = [{ sha256: 'held', bytes: 3 }]
      const end = { error: 'gone', expiresAt: 99, now: 7 }
      expect(await reopenDeploy(db(), 'd', gone, end)).toBe(true)
      expect(await findJob(db(), 'd')).toMatchObject({ status: 'failed', error: 'gone' })
      expect(await findDeploy(db(), 'd', 8)).toMatchObject({ committedAt: null, expiresAt: 99 })
      expect(await listMissing(db(), 'd')).toEqual(['held'])
      expect(await findDeployPlan(db(), 'd')).not.toBeNull()
      expect(await endedJobsAmong(db(), ['d'])).toEqual([])
      await arrive('held')
      expect(await commit('d', 9)).toEqual({ created: true })
      expect(await findJob(db(), 'd')).toMatchObject({ status: 'pending', error: null })
    })

    test('stays ended if it has ended before', async () => {
      await createWhole()
      await commit()
      await finishJob(db(), 'd', failed, 6)
      const end = { error: 'gone', expiresAt: 99, now: 7 }
      expect(await reopenDeploy(db(), 'd', [], end)).toBe(false)
      expect(await findDeploy(db(), 'd', 8)).toMatchObject({ committedAt: 5 })
    })
  })

  test('an open deploy can be deleted, a committed one cannot', async () => {
    await createWhole()
    await create({ id: 'other', site: nameOf('other') })
    await commit()
    expect(await deleteDeploy(db(), 'd')).toBe(false)
    expect(await deleteDeploy(db(), 'other')).toBe(true)
    expect(await deleteDeploy(db(), 'other')).toBe(false)
    expect(await findContent(db(), 'other', 'a')).toBeNull()
  })

  test('deploys are deleted when their time is over, but not before their jobs have ended', async () => {
    await createWhole()
    await commit()
    await create({ id: 'open', expiresAt: 900 })
    expect(await findDeploy(db(), 'open', 899)).not.toBeNull()
    expect(await findDeploy(db(), 'open', 900)).toBeNull()
    expect(await deleteExpiredDeploys(db(), 899)).toEqual([])
    expect(await deleteExpiredDeploys(db(), 2_000)).toEqual(['open'])
    await finishJob(db(), 'd', failed, 2_000)
    expect(await findDeploy(db(), 'd', 2_000)).not.toBeNull()
    expect(await deleteExpiredDeploys(db(), 2_000)).toEqual(['d'])
  })

  test('a deploy that is committed while expired ones are deleted stays', async () => {
    await createWhole()
    const [isJob, finish] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const committing = inTransaction(db(), async (transaction) => {
      const job = newJob({ id: 'd' })
      await commitDeploy(transaction, job, { queuedMax: 5, now: 999 })
      isJob.resolve()
      await finish.promise
    })
    await isJob.promise
    const deletion = deleteExpiredDeploys(db(), 1_001)
    // SQLite has one writer at a time.
    if (dialect === 'postgres') await waitsForLock()
    finish.resolve()
    await committing
    expect(await deletion).toEqual([])
    expect(await findDeploy(db(), 'd', 1_001)).toMatchObject({ committedAt: 999 })
  })

  const waitsForLock = () =>
    eventually(async () => {
      const { rows } = await sql`
        select 1 from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`.execute(db())
      expect(rows).toHaveLength(1)
    })
})
