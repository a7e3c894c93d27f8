import { expect, test } from 'bun:test'
import { CompiledQuery } from 'kysely'
import { listCertificateNames } from '#store/certificates/certificates.ts'
import { type Db, openDatabase } from '#store/database/database.ts'
import { migrate } from '#store/database/migrate.ts'
import { inTransaction } from '#store/database/transaction.ts'
import { deleteUnmetBefore } from '#store/lifecycle/visited-accounts.ts'
import { expireVersions } from '#store/sites/expire-versions.ts'
import { forgetRemovedSites } from '#store/sites/remove-site.ts'
import { accountOf, siteOf } from '#tests/support/database/sample-rows.ts'
import { askedAt } from '#tests/support/database/work-rows.ts'
import { enqueueAccounts, enqueueSites } from './enqueue.ts'
import { countDueAccounts } from './queued.ts'
import { nextDueAt, type Owners, takeDue } from './take-due.ts'
import { pullBackTimes } from './times-ahead.ts'

/** How SQLite finds the rows of the queue for the reads and deletions of this work. */
const plansOf = async (work: (db: Db) => Promise<unknown>): Promise<string[]> =>
  (await plansOfAll(work)).filter((plan) => /^(SCAN|SEARCH) work_items/.test(plan))

/** How SQLite finds the rows of all tables. */
async function plansOfAll(work: (db: Db) => Promise<unknown>): Promise<string[]> {
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
      const read = asSelect(query)
      if (read !== null) {
        const explained = `explain query plan ${read.sql}`
        const { rows } = await execute<{ detail: string }>(
          CompiledQuery.raw(explained, [...read.parameters]),
        )
        for (const { detail } of rows) plans.add(detail)
      }
      return await execute<Row>(query)
    }
    await work(transaction)
  })
  return [...plans].sort()
}

/** As a select: Bun keeps a statement open that explains another one. Null: an insertion. */
function asSelect({
  parameters,
  sql,
}: CompiledQuery): Pick<CompiledQuery, 'parameters' | 'sql'> | null {
  if (/^(select|delete) /.test(sql))
    return { parameters, sql: sql.replace(/^delete /, 'select * ') }
  const update = /^update (\S+) set (.*?) where (.*?)(?: returning .*)?$/s.exec(sql)
  if (update === null) return null
  const [, table, values = '', condition] = update
  const valueCount = values.split('?').length - 1
  return {
    parameters: parameters.slice(valueCount),
    sql: `select * from ${table} where ${condition}`,
  }
}

const due = 'INDEX work_items_waiting (kind=? AND priority=? AND line=? AND next_attempt_at<?)'
const leased = 'COVERING INDEX work_items_leased (kind=? AND leased_until>?)'
const first = 'COVERING INDEX work_items_waiting (kind=? AND priority=? AND line=?)'
const ofAccount = 'INDEX sqlite_autoindex_work_items_1 (did=? AND kind=?)'
const ofSite = 'INDEX sqlite_autoindex_work_items_1 (did=? AND kind=? AND site=?)'
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
    expect(plans).toEqual(using(due, leased, ...(isAnyTaken ? [ofAccount, ofSite] : [])))
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

test('what repeats for all sites finds the few rows that it changes by indexes', async () => {
  const domainTimes = { domainCheckMs: 1, accountDeletionMs: 1, deliveryMs: 1 }
  const plans = await plansOfAll(async (db) => {
    await forgetRemovedSites(db, 2)
    await expireVersions(db, 2)
    await pullBackTimes(db, 2, { ...domainTimes, retriesMs: [1], queueLeaseMs: 1, jobMs: 1 })
    await listCertificateNames(db, { isWanted: false, after: '', limit: 5 })
  })
  const many = /^(SCAN|SEARCH) (sites|version_records|custom_domains|certificates) /
  expect(plans.filter((plan) => many.test(`${plan} `))).toEqual([
    'SEARCH certificates USING COVERING INDEX certificates_by_wanted (is_wanted=? AND name>?)',
    'SEARCH custom_domains USING INDEX custom_domains_by_check (next_check_at>?)',
    'SEARCH sites USING INDEX sites_removed (updated_at<?)',
    'SEARCH version_records USING INDEX version_records_expiring (expires_at<?)',
    'SEARCH version_records USING INDEX version_records_with_snapshot (id=?)',
  ])
})
