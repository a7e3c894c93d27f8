import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Spool } from '#publish/upload/spool.ts'
import type { Database } from '#store/database/database.ts'
import { WakeUps } from '#store/database/wake-ups.ts'
import { createJob, findJob } from '#store/queues/jobs.ts'
import { type LoggedLine, recordingLog } from '#tests/support/api.ts'
import { memoryDatabase } from '#tests/support/database/databases.ts'
import { newJob } from '#tests/support/database/sample-rows.ts'
import { cancelPublish } from './cancel-publish.ts'

const job = newJob()
const by = { actor: 'ruth', reason: 'a copy of somebody else’s site' }
let dir: string
let database: Database
let logged: LoggedLine[]
let spool: Spool

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'cancel-publish-'))
  database = await memoryDatabase()
  logged = []
  spool = new Spool(join(dir, 'spool'))
  await createJob(database.db, job, { queuedMax: 5, now: 1 })
  await (await spool.open(job.id))[Symbol.asyncDispose]()
})
afterEach(async () => {
  await database[Symbol.asyncDispose]()
  await rm(dir, { recursive: true, force: true })
})

const cancel = (now: () => number) => {
  const context = { db: database.db, spool, log: recordingLog(logged), wakeUps: new WakeUps(), now }
  return cancelPublish(job.id, by, context)
}
const events = () => logged.map(({ message }) => message)

test('a waiting upload ends with the reason, and its files go', async () => {
  expect(await cancel(() => 2)).toBe('cancelled')
  expect((await findJob(database.db, job.id))?.error).toEndWith(by.reason)
  expect(await spool.has(job.id)).toBe(false)
  expect(events().sort()).toEqual(['administrator acted', 'publish cancelled'])
  expect(await cancel(() => 3)).toBe('ended')
  expect(events()).toHaveLength(2)
})

test('where the audit cannot be written, the upload keeps its place and its files', async () => {
  const times = [2]
  const failing = cancel(() => {
    const time = times.shift()
    if (time === undefined) throw new Error('not now')
    return time
  })
  await expect(failing).rejects.toThrow('not now')
  expect((await findJob(database.db, job.id))?.status).toBe('pending')
  expect(await spool.has(job.id)).toBe(true)
  expect(events()).toEqual([])
})
