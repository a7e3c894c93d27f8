import { expect, test } from 'bun:test'
import { CompiledQuery } from 'kysely'
import { type Db, openDatabase } from '#store/database/database.ts'
import { migrate } from '#store/database/migrate.ts'
import { inTransaction } from '#store/database/transaction.ts'
import { deleteUnmetBefore } from '#store/lifecycle/visited-accounts.ts'
import { accountOf, siteOf } from '#tests/support/database/sample-rows.ts'
import { askedAt } from '#tests/support/database/work-rows.ts'
import { enqueueAccounts, enqueueSites } from './enqueue.ts'
import { countDueAccounts } from './queued.ts'
import { nextDueAt, type Owners, takeDue } from './take-due.ts'

/** How SQLite finds the rows of the queue for the reads and deletions of this work. */
async function plansOf(work: (db: Db) => Promise<unknown>): Promise<string[]> {
  await using database = openDatabase({})
  await migrate(database)
  const dids = Array.from({ length: 40 }, (_, n) => accountOf(n))
  const context = askedAt(database.db, 1)
  await enqueueAccounts(context, dids, { isUrgent: true })
  await enqueueSites(
    context,
    dids.map((did) => siteOf('blog', did)),
  )
  const plans = new Set<string>()
  await inTransaction(database.db, async (transaction) => {
    const executor = transaction.getExecutor()
    const execute = executor.executeQuery.bind(executor)
    executor.executeQuery = async <Row>(query: CompiledQuery) => {
      if (/^(select|delete) /.test(query.sql)) {
        // As a select: Bun keeps a statement open that explains a deletion.
        const explained = `explain query plan ${query.sql.replace(/^delete /, 'select * ')}`
        const { rows } = await execute<{ detail: string }>(
          CompiledQuery.raw(explained, [...query.parameters]),
        )
        for (const { detail } of rows) plans.add(detail)
      }
      return await execute<Row>(query)
    }
    await work(transaction)
  })
  return [...plans].filter((plan) => /^(SCAN|SEARCH) work_items/.test(plan)).sort()
}

const due = 'INDEX work_items_waiting (kind=? AND priority=? AND line=? AND next_attempt_at<?)'
const leased = 'COVERING INDEX work_items_leased (kind=? AND leased_until>?)'
const first = 'COVERING INDEX work_items_waiting (kind=? AND priority=? AND line=?)'
const ofAccount = 'INDEX sqlite_autoindex_work_items_1 (did=? AND kind=?)'
const using = (...indexes: string[]) =>
  indexes.map((index) => `SEARCH work_items USING ${index}`).sort()

test.each<Owners>(['all', 'visited', 'not-visited', 'strangers', 'known'])(
  'items of owners %s are taken by indexes, however many wait',
  async (owners) => {
    const options = { owners, now: 2, leaseMs: 1, limit: 8 }
    const plans = await plansOf(async (db) => {
      await takeDue(db, { ...options, kind: 'site' })
      await takeDue(db, { ...options, kind: 'account', priorities: [1, 0] })
    })
    const isAnyTaken = owners === 'all' || owners === 'not-visited' || owners === 'strangers'
    expect(plans).toEqual(using(due, leased, ...(isAnyTaken ? [ofAccount] : [])))
  },
)

test('items of a line are taken by an index', async () => {
  const plans = await plansOf(async (db) => {
    await takeDue(db, { kind: 'site', line: 'slow x.test', now: 2, leaseMs: 1, limit: 8 })
  })
  expect(plans).toEqual(using(due, leased))
})

test('the next due time is read from the beginning of an index', async () => {
  const site = { kind: 'site', priority: 0, now: 2 } as const
  for (const line of [undefined, 'slow x.test']) {
    expect(await plansOf((db) => nextDueAt(db, { ...site, line }))).toEqual(using(first, leased))
  }
})

test('accounts with due sites are counted by an index', async () => {
  expect(await plansOf((db) => countDueAccounts(db, 2))).toEqual(using(due))
})

test('the cleanup of visited accounts looks each of them up, and does not read the queue', async () => {
  expect(await plansOf((db) => deleteUnmetBefore(db, 2))).toEqual(using(`COVERING ${ofAccount}`))
})
