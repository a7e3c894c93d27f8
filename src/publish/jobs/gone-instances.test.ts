import { expect, test } from 'bun:test'
import { WakeUps } from '#store/database/wake-ups.ts'
import { findInstance, registerInstance, seeInstance } from '#store/instances.ts'
import { createJob, findJob } from '#store/queues/jobs.ts'
import { recordingLog } from '#tests/support/api.ts'
import { memoryDatabase } from '#tests/support/database/memory-database.ts'
import { newJob } from '#tests/support/database/sample-rows.ts'
import { GoneInstances } from './gone-instances.ts'

const other = {
  ...{ id: 'other', run: 'run', address: 'http://10.0.0.2:1' },
  roles: 'app',
  version: '',
}
const goneMs = 60_000
const lookEveryMs = 5_000

async function place() {
  const database = await memoryDatabase()
  const { db } = database
  await registerInstance(db, other)
  await createJob(db, newJob({ id: 'job', instance: 'other' }), { queuedMax: 5, now: 1 })
  let time = 0
  const gone = new GoneInstances({
    ...{ db, goneMs, log: recordingLog(), now: () => 7, elapsed: () => time },
    spool: { instance: 'here' } as never,
    wakeUps: new WakeUps(),
  })
  return {
    db,
    /** Looks every few seconds for so long, and is called before each look. */
    async lookFor(ms: number, before: () => Promise<unknown> = async () => undefined) {
      for (const end = time + ms; time < end; ) {
        time += lookEveryMs
        await before()
        await gone.look()
      }
    },
    pass(ms: number) {
      time += ms
    },
    jobStatus: async () => (await findJob(db, 'job'))?.status,
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  }
}

test('an instance that is not seen any more is gone after the time, and its job says what to do', async () => {
  await using here = await place()
  await here.lookFor(goneMs)
  expect(await here.jobStatus()).toBe('pending')
  await here.lookFor(lookEveryMs)
  expect(await findJob(here.db, 'job')).toMatchObject({
    status: 'failed',
    error: 'The machine that had your upload is gone. Nothing was published; publish again.',
  })
  expect(await findInstance(here.db, 'other')).toBeNull()
})

test('one that is seen is not', async () => {
  await using here = await place()
  // A clock that stands still cannot be compared.
  let seenAt = 0
  const see = () => here.db.updateTable('instances').set({ seenAt: seenAt++ }).execute()
  await here.lookFor(3 * goneMs, see)
  expect(await here.jobStatus()).toBe('pending')
  expect(await seeInstance(here.db, other)).toBe('seen')
})

test('one whose row is not there and that has jobs is waited for, too', async () => {
  await using here = await place()
  await here.db.deleteFrom('instances').execute()
  await here.lookFor(goneMs)
  expect(await here.jobStatus()).toBe('pending')
  await here.lookFor(lookEveryMs)
  expect(await here.jobStatus()).toBe('failed')
})

test('time in which nobody looked does not count: the database may have been away for all', async () => {
  await using here = await place()
  await here.lookFor(goneMs)
  here.pass(goneMs)
  await here.lookFor(goneMs)
  expect(await here.jobStatus()).toBe('pending')
  await here.lookFor(lookEveryMs)
  expect(await here.jobStatus()).toBe('failed')
})
