import { beforeEach, expect, test } from 'bun:test'
import { sql } from 'kysely'
import { upsertAccount } from '#store/accounts/accounts.ts'
import type { Db } from '#store/database/database.ts'
import { inTransaction } from '#store/database/transaction.ts'
import { onEachStore } from '#tests/support/database/databases.ts'
import { alice, newVersion, newVersionRecord, siteOf } from '#tests/support/database/sample-rows.ts'
import { recordVersion } from './record-version.ts'
import { snapshotPages } from './snapshot-pages.ts'
import { recordVersionRecord } from './version-records/record-version-record.ts'

onEachStore('store/sites/snapshot-pages', (db, dialect) => {
  beforeEach(async () => void (await upsertAccount(db(), { did: alice }, 1)))
  const addState = (rev: string) =>
    recordVersion(db(), newVersion({ rev, recordCid: rev, snapshot: `state ${rev}` }), 1)
  const addRecord = (n: number) =>
    recordVersionRecord(db(), newVersionRecord(n, { snapshot: `record ${n}` }), 1)

  test('states and version records are listed together, in the order in which they were stored', async () => {
    await addState('1')
    await addRecord(1)
    await addRecord(2)
    await addState('2')
    await addState('3')
    await addRecord(3)
    const order = ['state 1', 'record 1', 'record 2', 'state 2', 'state 3', 'record 3']
    for (const query of [{}, { did: alice }, { site: siteOf('blog') }]) {
      for (const limit of [1, 2, 4, 6, 7]) {
        const pages = await Array.fromAsync(snapshotPages(db(), { ...query, limit }))
        expect(pages.flat().map(({ snapshot }) => snapshot)).toEqual(order)
        expect(pages.every((page) => page.length <= limit)).toBe(true)
      }
    }
    const [first] = await Array.fromAsync(snapshotPages(db(), { limit: 3 }))
    const later = await Array.fromAsync(snapshotPages(db(), { after: first?.at(-1)?.id ?? '' }))
    expect(later.flat().map(({ snapshot }) => snapshot)).toEqual(order.slice(3))
    const [state, record] = first ?? []
    expect(state).toMatchObject({ key: null, name: 'blog', replacedAt: 1 })
    expect(record).toMatchObject({ key: newVersionRecord(1).key, name: 'blog', replacedAt: null })
  })

  test('a page is read from the indexes on ids, without sorting what is stored', async () => {
    const plan = await inTransaction(db(), planOfFirstPage)
    if (dialect === 'sqlite') {
      expect(plan).toContain('SEARCH versions USING INDEX sqlite_autoindex_versions_1 (id>?)')
      expect(plan).toContain(
        'SEARCH version_records USING INDEX version_records_with_snapshot (id>?)',
      )
    } else {
      expect(plan).toContain('Index Scan using versions_pkey on versions')
      expect(plan).toContain('Index Scan using version_records_with_snapshot on version_records')
      expect(plan).not.toMatch(/Sort +\(/)
    }
  })

  async function planOfFirstPage(transaction: Db): Promise<string> {
    // So that PostgreSQL plans for an empty table as for a large one.
    if (dialect === 'postgres') {
      for (const way of ['seqscan', 'bitmapscan'])
        await sql.raw(`set local enable_${way} = off`).execute(transaction)
    }
    const executor = transaction.getExecutor()
    const execute = executor.executeQuery.bind(executor)
    const lines: string[] = []
    executor.executeQuery = async <Row>(query: Parameters<typeof execute>[0]) => {
      const how = dialect === 'sqlite' ? 'explain query plan' : 'explain'
      const explained = { ...query, sql: `${how} ${query.sql}` }
      const { rows } = await execute<Record<string, unknown>>(explained)
      for (const row of rows) lines.push(Object.values(row).join(' '))
      return await execute<Row>(query)
    }
    await snapshotPages(transaction).next()
    return lines.join('\n')
  }
})
