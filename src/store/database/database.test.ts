import { expect, test } from 'bun:test'
import { sql } from 'kysely'
import { findAccount, upsertAccount } from '#store/accounts/accounts.ts'
import { onEachStore } from '#tests/support/database/databases.ts'
import { alice, bob } from '#tests/support/database/sample-rows.ts'
import { openDatabase } from './database.ts'
import { inTransaction, lockUntilCommit } from './transaction.ts'

onEachStore('store/database/database', (db) => {
  test('integers are numbers, up to 2^53', async () => {
    const { rows } = await sql<{ n: number; count: number }>`
      select ${sql.lit(Number.MAX_SAFE_INTEGER)} as n, count(*) as count from accounts
    `.execute(db())
    expect(rows).toEqual([{ n: Number.MAX_SAFE_INTEGER, count: 0 }])
  })

  test('a failed transaction stores nothing, and the next one works', async () => {
    const failing = inTransaction(db(), async (transaction) => {
      await upsertAccount(transaction, { did: alice }, 1)
      throw new Error('no')
    })
    await expect(failing).rejects.toThrow('no')
    expect(await findAccount(db(), alice)).toBeNull()
    await inTransaction(db(), (transaction) => upsertAccount(transaction, { did: alice }, 1))
    expect(await findAccount(db(), alice)).not.toBeNull()
  })

  test('a transaction inside a transaction is the same one', async () => {
    const failing = inTransaction(db(), async (outer) => {
      await inTransaction(outer, (inner) => upsertAccount(inner, { did: alice }, 1))
      throw new Error('no')
    })
    await expect(failing).rejects.toThrow('no')
    expect(await findAccount(db(), alice)).toBeNull()
  })

  test('two transactions that lock one subject run one after the other', async () => {
    const order: string[] = []
    const holding = Promise.withResolvers<void>()
    const first = inTransaction(db(), async (transaction) => {
      await lockUntilCommit(transaction, 'door')
      order.push('first in')
      holding.resolve()
      await upsertAccount(transaction, { did: alice }, 1)
      order.push('first out')
    })
    await holding.promise
    const second = inTransaction(db(), async (transaction) => {
      await lockUntilCommit(transaction, 'door')
      order.push('second in')
      expect(await findAccount(transaction, alice)).not.toBeNull()
    })
    await Promise.all([first, second])
    expect(order).toEqual(['first in', 'first out', 'second in'])
  })
})

onEachStore('store/database/database opened twice', (_, __, options) => {
  test('two writers take turns', async () => {
    await using one = openDatabase(options())
    await using two = openDatabase(options())
    const isHeld = Promise.withResolvers<void>()
    const isOtherWaiting = Promise.withResolvers<void>()
    const first = inTransaction(one.db, async (transaction) => {
      await upsertAccount(transaction, { did: alice }, 1)
      isHeld.resolve()
      await isOtherWaiting.promise
    })
    await isHeld.promise
    const second = upsertAccount(two.db, { did: bob }, 2)
    setImmediate(isOtherWaiting.resolve)
    await Promise.all([first, second])
    expect(await findAccount(two.db, alice)).not.toBeNull()
  })
})
