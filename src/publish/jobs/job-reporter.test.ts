import { afterEach, beforeEach, expect, jest, test } from 'bun:test'
import type { Log } from '#observe/log.ts'
import type { Database } from '#store/database/database.ts'
import { WakeUps } from '#store/database/wake-ups.ts'
import { createJob, findJob, type JobProgress } from '#store/queues/jobs.ts'
import { memoryDatabase } from '#tests/support/database/databases.ts'
import { newJob, progress } from '#tests/support/database/sample-rows.ts'
import { JobReporter } from './job-reporter.ts'

let database: Database
let wakeUps: WakeUps
let warnings: string[]
let writes: number
const job = { ...newJob(), writingAt: null }

beforeEach(async () => {
  database = await memoryDatabase()
  await createJob(database.db, job, { queuedMax: 5, now: 1 })
  wakeUps = new WakeUps()
  warnings = []
  writes = 0
  jest.useFakeTimers()
})
afterEach(async () => {
  jest.useRealTimers()
  await database[Symbol.asyncDispose]()
})

function reporter(): JobReporter {
  const log: Log = {
    debug: () => {},
    info: () => {},
    warn: (message) => warnings.push(message),
    error: () => {},
  }
  // The time is asked for once a write.
  return new JobReporter(job, { db: database.db, wakeUps, log, now: () => ++writes })
}
const at = (filesProcessed: number, phase: JobProgress['phase'] = 'compressing'): JobProgress => ({
  ...progress,
  phase,
  filesProcessed,
})
const found = () => passing(findJob(database.db, job.id))
const stored = async () => (await found())?.progress.filesProcessed

/** Time passes meanwhile: a database that was busy for a moment lets others go first, by a timer. */
async function passing<T>(work: Promise<T>): Promise<T> {
  let isOver = false
  const over = work.finally(() => {
    isOver = true
  })
  while (!isOver) {
    jest.advanceTimersByTime(1)
    await Promise.resolve()
  }
  return await over
}

test('many reports are five writes a second, each with the newest state', async () => {
  const reports = reporter()
  for (let ms = 0; ms < 1000; ms += 10) {
    reports.report(at(ms))
    jest.advanceTimersByTime(10)
    await Promise.resolve()
  }
  await passing(reports.stop())
  expect(writes).toBe(5)
  expect(await stored()).toBe(990)
})

test('the newest is known before it is written', () => {
  const reports = reporter()
  expect(reports.latest).toEqual(progress)
  reports.report(at(1))
  reports.report(at(2))
  expect(reports.latest.filesProcessed).toBe(2)
  expect(writes).toBe(0)
})

test('after the stop nothing is written any more', async () => {
  const reports = reporter()
  reports.report(at(1))
  await passing(reports.stop())
  reports.report(at(2))
  jest.advanceTimersByTime(1000)
  await passing(reports.stop())
  expect(writes).toBe(0)
  expect(await stored()).toBe(0)
})

test('the status follows the phase', async () => {
  for (const [phase, status] of [
    ['compressing', 'processing'],
    ['uploading', 'uploading'],
    ['creating_manifest', 'uploading'],
    ['finalizing', 'uploading'],
  ] as const) {
    const reports = reporter()
    reports.report(at(1, phase))
    jest.advanceTimersByTime(200)
    await passing(reports.stop())
    expect((await found())?.status).toBe(status)
  }
})

test('every write sends a wake-up', async () => {
  using watching = wakeUps.subscribe('job-progress')
  const reports = reporter()
  reports.report(at(1))
  jest.advanceTimersByTime(200)
  await passing(reports.stop())
  await watching.wait(60_000)
})

test('a database that is away costs the progress, not the job', async () => {
  const reports = reporter()
  await database[Symbol.asyncDispose]()
  reports.report(at(1))
  jest.advanceTimersByTime(200)
  await passing(reports.stop())
  expect(warnings).toEqual(['progress not written'])
})
