import { expect, test } from 'bun:test'
import { findAccount, upsertAccount } from '#store/accounts/accounts.ts'
import { onEachStore } from '#tests/support/database/databases.ts'
import { accountOf, alice, bob } from '#tests/support/database/sample-rows.ts'
import { DatabaseUnavailableError } from './database-unavailable.ts'
import { inSharedTransaction, sharedWaitingMax } from './shared-transaction.ts'

onEachStore('store/database/shared-transaction', (db, dialect) => {
  const meet = (did: typeof alice) =>
    inSharedTransaction(db(), (transaction) => upsertAccount(transaction, { did }, 1))

  test('concurrent work is done, each with its own result', async () => {
    const dids = Array.from({ length: 100 }, (_, n) => accountOf(n))
    const met = await Promise.all(dids.map(meet))
    expect(met.map(({ did }) => did)).toEqual(dids)
    for (const did of dids) expect(await findAccount(db(), did)).not.toBeNull()
  })

  test('failed work stores nothing, and makes no other work fail', async () => {
    const failing = inSharedTransaction(db(), async (transaction) => {
      await upsertAccount(transaction, { did: bob }, 1)
      throw new Error('no')
    })
    const results = await Promise.allSettled([meet(alice), failing, meet(accountOf(1))])
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(await findAccount(db(), alice)).not.toBeNull()
    expect(await findAccount(db(), bob)).toBeNull()
  })

  test('inside a transaction it is part of that transaction', async () => {
    const outer = db()
      .transaction()
      .execute(async (transaction) => {
        await inSharedTransaction(transaction, (inner) => upsertAccount(inner, { did: bob }, 1))
        throw new Error('no')
      })
    await expect(outer).rejects.toThrow('no')
    expect(await findAccount(db(), bob)).toBeNull()
  })

  if (dialect !== 'sqlite') return
  test('work that is ready together shares a commit', async () => {
    const seen = new Set<unknown>()
    const look = () => inSharedTransaction(db(), async (transaction) => void seen.add(transaction))
    await Promise.all(Array.from({ length: 32 }, look))
    expect(seen.size).toBe(1)
    await look()
    expect(seen.size).toBe(2)
  })

  test('one piece of work too many that waits for a commit is a typed error immediately', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const work = () => inSharedTransaction(db(), () => promise)
    const waiting = Array.from({ length: sharedWaitingMax }, work)
    await expect(work()).rejects.toThrow(DatabaseUnavailableError)
    resolve()
    await Promise.all(waiting)
    await work()
  })
})
