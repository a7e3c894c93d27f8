import { expect, test } from 'bun:test'
import { WakeUps } from '#store/database/wake-ups.ts'
import { onEachStore } from '#tests/support/database/databases.ts'
import { alice, bob, newJob, siteOf } from '#tests/support/database/sample-rows.ts'
import { createJob } from './jobs.ts'
import { wakeOthersWithJobs } from './wake-jobs.ts'

onEachStore('store/queues/wake-jobs', (db) => {
  test('when a job has ended, other instances with jobs of the account are woken', async () => {
    const queue = { queuedMax: 9, now: 1 }
    const jobs = [
      { ...siteOf('a', alice), instance: 'one' },
      { ...siteOf('b', alice), instance: 'two' },
      { ...siteOf('c', alice), instance: 'two' },
      { ...siteOf('a', bob), instance: 'three' },
    ]
    for (const { did, instance, name } of jobs) {
      await createJob(db(), newJob({ did, site: name, instance }), queue)
    }
    const wakeUps = new WakeUps()
    const woken: unknown[] = []
    wakeUps.forward(['jobs'], (_, about) => woken.push(about))
    await wakeOthersWithJobs(db(), alice, { instance: 'one', wakeUps })
    expect(woken).toEqual(['two'])
  })
})
