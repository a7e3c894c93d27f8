import { expect, test } from 'bun:test'
import type { LogEntry } from '#observe/log-entry.ts'
import { LogQueue } from '#observe/log-queue.ts'
import { type Db, openDatabase } from '#store/database/database.ts'
import { DatabaseUnavailableError } from '#store/database/database-unavailable.ts'
import { type LoggedLine, recordingLog } from '#tests/support/api.ts'
import { memoryDatabase } from '#tests/support/database/databases.ts'
import { eventually } from '#tests/support/eventually.ts'
import { listErrorEntries } from './error-entries.ts'
import { listLogEntries } from './log-entries.ts'
import { storeLog } from './store-log.ts'

const entry = (message: string, level: LogEntry['level'] = 'info'): LogEntry => ({
  ...{ at: 1, level, service: 'main-app', message, event: null, traceId: null, context: {} },
})

function logs() {
  const [stored, unstored]: [LoggedLine[], LoggedLine[]] = [[], []]
  return { stored, unstored, log: { ...recordingLog(stored), unstored: recordingLog(unstored) } }
}

test('what is in the queue is stored, before and at the end', async () => {
  await using database = await memoryDatabase()
  const { db } = database
  const queue = new LogQueue()
  for (let n = 0; n < 1_200; n++) queue.add(entry(`line ${n}`))
  const { log } = logs()
  {
    await using _ = storeLog({ db, queue, log })
    await eventually(async () => expect(queue.length).toBe(0))
    queue.add(entry('the last', 'error'))
  }
  const rows = await listLogEntries(db, {}, { limit: 2_000 })
  expect([rows.length, rows[0]?.message]).toEqual([1_201, 'the last'])
  expect(await listErrorEntries(db, { limit: 9 })).toMatchObject([
    { message: 'the last', count: 1 },
  ])
})

test('a batch is stored once, also if the database goes away before its errors are counted', async () => {
  await using database = await memoryDatabase()
  const { db } = database
  const queue = new LogQueue()
  queue.add(entry('broken', 'error'))
  const { log, unstored } = logs()
  {
    await using _ = storeLog({ db: unavailableOnceFor('error_entries', db), queue, log })
    await eventually(async () => expect(unstored).toMatchObject([{ message: 'log not stored' }]))
  }
  expect(queue.length).toBe(0)
  expect(await listLogEntries(db, { level: 'error' }, { limit: 9 })).toHaveLength(1)
  expect(await listErrorEntries(db, { limit: 9 })).toMatchObject([{ count: 1 }])
})

function unavailableOnceFor(table: string, db: Db): Db {
  let isAway = true
  return db.withPlugin({
    transformQuery: ({ node }) => {
      if (!isAway || !JSON.stringify(node).includes(`"${table}"`)) return node
      isAway = false
      throw new DatabaseUnavailableError('sqlite', null)
    },
    transformResult: async ({ result }) => result,
  })
}

test('what does not fit is dropped, and said', async () => {
  await using database = await memoryDatabase()
  const queue = new LogQueue({ max: 20 })
  for (let n = 0; n < 20 + 7; n++) queue.add(entry('line'))
  const { log, stored } = logs()
  await using _ = storeLog({ db: database.db, queue, log })
  await eventually(async () =>
    expect(stored).toEqual([
      { level: 'warn', message: 'log entries dropped', fields: { dropped: 7 } },
    ]),
  )
})

test('a failure of the database is one line, which is not stored', async () => {
  // Without tables.
  await using database = openDatabase({})
  const queue = new LogQueue()
  const { log, stored, unstored } = logs()
  await using _ = storeLog({ db: database.db, queue, log, everyMs: 1 })
  for (let n = 0; n < 3; n++) queue.add(entry('line'))
  await eventually(async () => expect(stored).toMatchObject([{ fields: { dropped: 3 } }]))
  expect(unstored).toMatchObject([{ message: 'log not stored' }])
})
