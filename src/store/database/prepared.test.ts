import { expect, test } from 'bun:test'
import { type RawBuilder, sql } from 'kysely'
import type { Did } from '#site/site-address.ts'
import { upsertAccount } from '#store/accounts/accounts.ts'
import { onEachStore } from '#tests/support/database/databases.ts'
import { accountOf, alice, bob } from '#tests/support/database/sample-rows.ts'
import { type Db, openDatabase } from './database.ts'
import { planned, prepared, preparedForItems, preparedForList } from './prepared.ts'

onEachStore('store/database/prepared', (db, dialect, options) => {
  test('each run has its own values, and literals stay', async () => {
    let built = 0
    const rename = prepared<{ did: Did; handle: string | null }, unknown>((db, { did, handle }) => {
      built += 1
      return db.updateTable('accounts').set({ handle, updatedAt: 7 }).where('did', '=', did)
    })
    for (const did of [alice, bob]) await upsertAccount(db(), { did, handle: 'old.test' }, 1)
    const { numAffectedRows } = await rename(db(), { did: alice, handle: 'new.test' })
    expect(numAffectedRows).toBe(1n)
    await rename(db(), { did: bob, handle: null })
    expect(await handles(db())).toEqual({ [alice]: 'new.test', [bob]: null })
    expect(built).toBe(1)
  })

  if (dialect === 'postgres') {
    test('the plan of the sixth execution is kept, and made anew when the table has changed', async () => {
      await using one = openDatabase({ ...options(), connectionsMax: 1 })
      const find = planned<{ did: Did }, { did: Did }>((db, { did }) =>
        db.selectFrom('accounts').select('did').where('did', '=', did),
      )
      const plans = async () => {
        const rows = await sql<{ parts: string }>`
        select generic_plans || ' of ' || generic_plans + custom_plans as parts
        from pg_prepared_statements where statement like '%accounts%'`.execute(one.db)
        return rows.rows.map(({ parts }) => parts)
      }
      await upsertAccount(db(), { did: alice }, 1)
      for (const did of [alice, bob, alice, bob, alice, bob]) {
        expect((await find(one.db, { did })).rows).toEqual(did === alice ? [{ did }] : [])
      }
      // The first five are planned for their values, to compare.
      expect(await plans()).toEqual(['1 of 6'])
      await sql`alter table accounts add column of_a_newer_release integer`.execute(one.db)
      await sql`alter table accounts drop column of_a_newer_release`.execute(one.db)
      expect((await find(one.db, { did: alice })).rows).toEqual([{ did: alice }])
      expect(await plans()).toEqual(['2 of 7'])
      const all = planned<{ did: Did }, unknown>((db, { did }) =>
        db.selectFrom('accounts').selectAll().where('did', '=', did),
      )
      expect(() => all(one.db, { did: alice })).toThrow('not with all columns')
    })
  }

  test('rows have camelCase columns', async () => {
    await upsertAccount(db(), { did: alice }, 5)
    const find = prepared<{ did: Did }, object>((db, { did }) =>
      db.selectFrom('accounts').select(['did', 'createdAt']).where('did', '=', did),
    )
    expect((await find(db(), { did: alice })).rows).toEqual([{ did: alice, createdAt: 5 }])
  })

  const among = preparedForList((db, dids: readonly RawBuilder<Did>[]) =>
    db.selectFrom('accounts').select('did').where('did', 'in', dids),
  )

  test.each([0, 1, 2, 3, 5, 511, 513])('a list of %i values', async (count) => {
    const dids = Array.from({ length: count }, (_, n) => accountOf(n))
    for (const did of [dids[0], dids.at(-1)]) if (did) await upsertAccount(db(), { did }, 1)
    await upsertAccount(db(), { did: accountOf(1_000_000) }, 1)
    const found = await among(db(), dids)
    const expected = new Set([dids[0], dids.at(-1)].filter((did) => did !== undefined))
    expect(new Set(found.map(({ did }) => did))).toEqual(expected)
    expect(found).toHaveLength(expected.size)
  })

  test.each([0, 1, 3, 513])('a list of %i items, with a value of the whole run', async (count) => {
    const seen = preparedForItems<{ did: Did; handle: string }, { now: number }, unknown>(
      (db, accounts, { now }) =>
        db
          .updateTable('accounts')
          .set({ updatedAt: now })
          .where(({ eb, refTuple, tuple }) => {
            const tuples = accounts.map(({ did, handle }) => tuple(did, handle))
            return eb(refTuple('did', 'handle'), 'in', tuples)
          }),
    )
    const items = Array.from({ length: count }, (_, n) => ({ did: accountOf(n), handle: `${n}` }))
    const [first, last] = [items[0], items.at(-1)]
    for (const item of [first, last]) if (item) await upsertAccount(db(), item, 1)
    await upsertAccount(db(), { did: alice, handle: 'of nobody in the list' }, 1)
    // The list has this account with another handle.
    if (count > 2) await upsertAccount(db(), { did: accountOf(1), handle: 'another' }, 1)
    await seen(db(), items, { now: 7 })
    const rows = await db()
      .selectFrom('accounts')
      .select('did')
      .where('updatedAt', '=', 7)
      .execute()
    const expected = new Set([first, last].flatMap((item) => item?.did ?? []))
    expect(new Set(rows.map(({ did }) => did))).toEqual(expected)
  })
})

async function handles(db: Db): Promise<Record<string, string | null>> {
  const rows = await db.selectFrom('accounts').select(['did', 'handle']).execute()
  return Object.fromEntries(rows.map(({ did, handle }) => [did, handle]))
}
