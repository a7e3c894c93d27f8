import { expect, test } from 'bun:test'
import { chunksOf } from '#store/database/chunks.ts'
import { WakeUps } from '#store/database/wake-ups.ts'
import { onEachStore } from '#tests/support/database/databases.ts'
import { accountOf, newJob, siteOf } from '#tests/support/database/sample-rows.ts'
import { enqueueAccounts, enqueueSites } from './enqueue.ts'
import { createJob } from './jobs.ts'
import { queueSizes, unfinishedJobs } from './queue-sizes.ts'
import { takeDue } from './take-due.ts'
import { retryItem } from './work-items.ts'

onEachStore('store/queues/queue-sizes', (db) => {
  test('waiting, parked, and for how long the oldest has been due', async () => {
    const empty = { waiting: 0, parked: 0, lagMs: 0 }
    expect(await queueSizes(db(), 9)).toEqual({ site: empty, version: empty, account: empty })
    const at = (now: number) => ({ db: db(), wakeUps: new WakeUps(), now: () => now })
    await enqueueSites(at(1000), [siteOf('a'), siteOf('b')])
    await enqueueSites(at(5000), [siteOf('c')])
    await enqueueAccounts(at(9000), [accountOf(1)], { isUrgent: true })
    const due = { kind: 'site', priorities: [0], now: 5000, leaseMs: 100, limit: 1 } as const
    for (const item of await takeDue(db(), due)) {
      await retryItem(db(), item, { at: null, error: 'away' })
    }
    expect(await queueSizes(db(), 6000)).toEqual({
      site: { waiting: 2, parked: 1, lagMs: 5000 },
      version: empty,
      account: { waiting: 1, parked: 0, lagMs: 0 },
    })
  })

  test('more items than SQLite reads at a time are counted together', async () => {
    const at = (now: number) => ({ db: db(), wakeUps: new WakeUps(), now: () => now })
    const accounts = Array.from({ length: 5_002 }, (_, n) => accountOf(n))
    for (const some of chunksOf(accounts))
      await enqueueAccounts(at(2000), some, { isUrgent: false })
    await enqueueSites(at(1000), [siteOf('a')])
    expect(await queueSizes(db(), 2500)).toMatchObject({
      account: { waiting: 5_002, parked: 0, lagMs: 500 },
      site: { waiting: 1, parked: 0, lagMs: 1500 },
    })
  })

  test('jobs that have not ended', async () => {
    expect([...(await unfinishedJobs(db()))]).toEqual([])
    await createJob(db(), newJob(), { queuedMax: 5, now: 1 })
    expect([...(await unfinishedJobs(db()))]).toEqual([['pending', 1]])
  })
})
