import { expect, test } from 'bun:test'
import { openDatabase } from '#store/database/database.ts'
import { migrate } from '#store/database/migrate.ts'
import { enqueueSites } from '#store/queues/enqueue.ts'
import { takeDue } from '#store/queues/take-due.ts'
import type { WorkItem } from '#store/queues/work-items.ts'
import { type LoggedLine, recordingLog } from '#tests/support/api.ts'
import { siteOf } from '#tests/support/sample-rows.ts'
import { askedAt } from '#tests/support/work-rows.ts'
import { workOn } from './run-work.ts'

const facts: [what: string, isReplaced: boolean, level: string][] = [
  ['what failed', false, 'warn'],
  ['what was replaced while it was read, and failed,', true, 'debug'],
]
test.each(facts)('%s is logged: replaced %p, %s', async (_, isReplaced, level) => {
  await using database = openDatabase({})
  await migrate(database)
  const { db } = database
  const ask = () => enqueueSites(askedAt(db, 0), [siteOf('blog')])
  await ask()
  const [item] = await takeDue(db, { kind: 'site', now: 0, leaseMs: 1, limit: 1 })
  const lines: LoggedLine[] = []
  const error = new Error('gone')
  const work = async () => {
    if (isReplaced) await ask()
    throw error
  }
  const { signal } = new AbortController()
  const context = { ...askedAt(db, 0), log: recordingLog(lines), signal }
  expect(await workOn(item as WorkItem, work, context)).toBe(false)
  const fields = { did: siteOf('blog').did, site: 'blog', attempts: 1, isLast: false, error }
  expect(lines).toEqual([{ level, message: 'ingest failed', fields }])
})
