import { describe, expect, test } from 'bun:test'
import type { Did } from '#site/site-address.ts'
import { setAccountStatus, upsertAccount } from '#store/accounts/accounts.ts'
import { rememberVisited } from '#store/lifecycle/visited-accounts.ts'
import { onEachStore } from '#tests/support/databases.ts'
import { queuedAccounts } from '#tests/support/queued-accounts.ts'
import { accountOf, alice, bob } from '#tests/support/sample-rows.ts'
import {
  type AccountItem,
  enqueueAccounts,
  enqueueInactiveAccounts,
  enqueueKnownAccounts,
  finishAccount,
  forgetParkedStrangers,
  isAccountDue,
  type QueuedAccounts,
  renewAccountLease,
  retryAccount,
  takeDueAccounts,
} from './account-queue.ts'

const leaseMs = 100

interface TakeFacts {
  limit?: number
  urgentOnly?: boolean
  of?: QueuedAccounts
}

await onEachStore('store/queues/account-queue', (db) => {
  const ask = (did: Did, now: number, isUrgent = true) =>
    enqueueAccounts(db(), [did], { now, isUrgent })
  const take = (now: number, facts: TakeFacts = {}) =>
    takeDueAccounts(db(), { now, leaseMs, limit: 9, ...facts })
  const taken = async (now: number, facts?: TakeFacts) =>
    (await take(now, facts)).map(({ did }) => did)
  const one = async (now: number): Promise<AccountItem> => {
    const [item, ...more] = await take(now)
    expect(more).toEqual([])
    return item as AccountItem
  }

  test('whether an urgent one is due', async () => {
    const isDue = (now: number) => isAccountDue(db(), now)
    await ask(bob, 10, false)
    expect(await isDue(10)).toBe(false)
    await ask(alice, 20)
    expect(await isDue(19)).toBe(false)
    expect(await isDue(20)).toBe(true)
    await take(20)
    expect(await isDue(20)).toBe(false)
    expect(await isDue(20 + leaseMs)).toBe(true)
  })

  test('what has news goes first, then whoever has waited longest', async () => {
    const [carol, dave] = [alice.replaceAll('a', 'c'), alice.replaceAll('a', 'd')] as Did[]
    await ask(alice, 1, false)
    await ask(bob, 3)
    await ask(carol as Did, 2)
    await ask(dave as Did, 0, false)
    expect(await taken(9, { limit: 3 })).toEqual([carol, bob, dave] as Did[])
    expect(await taken(9)).toEqual([alice])
    expect(await taken(9)).toEqual([])
  })

  test('only what has news, when asked for that', async () => {
    await ask(alice, 1, false)
    expect(await taken(9, { urgentOnly: true })).toEqual([])
    await ask(alice, 2)
    expect(await taken(9, { urgentOnly: true })).toEqual([alice])
  })

  test('what has news keeps it when it is asked for to be sure', async () => {
    await ask(alice, 1)
    await ask(alice, 2, false)
    expect(await taken(9, { urgentOnly: true })).toEqual([alice])
  })

  test('who is known for good, and who is only visited or not known at all', async () => {
    const [carol] = [alice.replaceAll('a', 'c')] as [Did]
    await upsertAccount(db(), { did: alice }, 1)
    await rememberVisited(db(), bob, 1)
    await upsertAccount(db(), { did: bob }, 1)
    for (const did of [alice, bob, carol]) await ask(did, 2)
    expect(await taken(9, { of: 'others' })).toEqual([alice])
    expect(await taken(9, { of: 'strangers' })).toEqual([bob, carol])
  })

  describe('one that is taken', () => {
    test('is nobody else’s until the lease is over', async () => {
      await ask(alice, 1)
      await one(1)
      expect(await taken(100)).toEqual([])
      expect(await one(101)).toMatchObject({ did: alice, attempts: 2 })
    })
    test('stays so when the lease is renewed', async () => {
      await ask(alice, 1)
      await renewAccountLease(db(), await one(1), { now: 100, leaseMs })
      expect(await taken(199)).toEqual([])
      expect(await taken(200)).toEqual([alice])
    })
    test('is gone when it is finished', async () => {
      await ask(alice, 1)
      await finishAccount(db(), await one(1))
      expect(await queuedAccounts(db())).toEqual([])
    })
    test('asked for again meanwhile, waits for its end, and is due at once then', async () => {
      await ask(alice, 1)
      const item = await one(1)
      await ask(alice, 2)
      expect(await taken(3)).toEqual([])
      await finishAccount(db(), item)
      expect(await one(3)).toMatchObject({ did: alice, attempts: 1 })
    })
    test('failed, is due when it is said to be', async () => {
      await ask(alice, 1)
      await retryAccount(db(), await one(1), { at: 50, error: 'no \0 answer' })
      expect(await taken(49)).toEqual([])
      expect(await taken(50)).toEqual([alice])
    })
    test('failed for the last time, is parked until it is asked for', async () => {
      await ask(alice, 1)
      await retryAccount(db(), await one(1), { at: null, error: 'no answer' })
      expect(await taken(Number.MAX_SAFE_INTEGER - 1)).toEqual([])
      expect(await queuedAccounts(db())).toEqual([
        { did: alice, attempts: 1, error: 'no answer', isParked: true },
      ])
      await ask(alice, 2)
      expect(await queuedAccounts(db())).toMatchObject([{ did: alice, isParked: false }])
      expect(await taken(2)).toEqual([alice])
    })
    test('failed and asked for again meanwhile, is due at once', async () => {
      await ask(alice, 1)
      const item = await one(1)
      await ask(alice, 2)
      await retryAccount(db(), item, { at: 50, error: 'no answer' })
      expect(await taken(3)).toEqual([alice])
    })
    test('finished by whoever lost it, is not lost to whoever has it', async () => {
      await ask(alice, 1)
      const first = await one(1)
      await ask(alice, 2)
      await one(200)
      await finishAccount(db(), first)
      expect(await queuedAccounts(db())).toHaveLength(1)
    })
  })

  test('many that take at once get each account once', async () => {
    const dids = Array.from({ length: 20 }, (_, i) => `did:web:host-${i}.example` as Did)
    await enqueueAccounts(db(), dids, { now: 1, isUrgent: true })
    const all = await Promise.all(Array.from({ length: 10 }, () => taken(1, { limit: 3 })))
    expect(all.flat().length).toBe(new Set(all.flat()).size)
    expect(new Set([...all.flat(), ...(await taken(1, { limit: 20 }))]).size).toBe(20)
  })

  test('every known account is queued, more than a page of them', async () => {
    const dids = Array.from({ length: 1001 }, (_, i) => `did:web:host-${i}.example` as Did)
    const row = { handle: null, pds: null, status: 'active' } as const
    for (let i = 0; i < dids.length; i += 100) {
      const rows = dids
        .slice(i, i + 100)
        .map((did) => ({ did, ...row, createdAt: 1, updatedAt: 1 }))
      await db().insertInto('accounts').values(rows).execute()
    }
    expect(await enqueueKnownAccounts(db(), 5)).toBe(1001)
    expect(await queuedAccounts(db())).toHaveLength(1001)
    expect(await taken(5, { urgentOnly: true })).toEqual([])
  })

  test('who is not active is queued a day after the last look, those of the longest ago first', async () => {
    const dids = Array.from({ length: 5 }, (_, i) => accountOf(i))
    const [active, parked, ...hidden] = dids as [Did, Did, Did, Did, Did]
    for (const [i, did] of dids.entries()) {
      await upsertAccount(db(), { did }, 1)
      if (did !== active) await setAccountStatus(db(), did, 'deactivated', 10 - i)
    }
    await ask(parked, 1)
    await retryAccount(db(), await one(1), { at: null, error: 'away' })
    const enqueue = (before: number, limit = 9) =>
      enqueueInactiveAccounts(db(), { before, limit, now: 20 })
    const [newest, between, oldest] = hidden
    expect(await enqueue(6)).toBe(0)
    expect(await enqueue(9, 2)).toBe(2)
    expect(await taken(20)).toEqual([between, oldest].sort() as Did[])
    expect(await enqueue(9)).toBe(1)
    expect(await taken(20)).toEqual([newest])
    expect(await enqueue(9)).toBe(0)
  })

  test('of parked strangers those stay that were asked for last', async () => {
    const dids = Array.from({ length: 5 }, (_, i) => accountOf(i))
    const [known, ...strangers] = dids as [Did, Did, Did, Did, Did]
    await upsertAccount(db(), { did: known }, 1)
    for (const [i, did] of dids.entries()) {
      await ask(did, i + 1)
      await retryAccount(db(), await one(i + 1), { at: null, error: 'away' })
    }
    await ask(alice, 1)
    const left = async () => (await queuedAccounts(db())).map(({ did }) => did)
    await forgetParkedStrangers(db(), 4)
    expect(await left()).toEqual([alice, ...dids].sort())
    await forgetParkedStrangers(db(), 3)
    expect(await left()).toEqual([alice, known, ...strangers.slice(1)].sort())
  })

  test('without known accounts nothing is queued', async () => {
    expect(await enqueueKnownAccounts(db(), 5)).toBe(0)
    await upsertAccount(db(), { did: alice }, 1)
    expect(await enqueueKnownAccounts(db(), 5)).toBe(1)
  })
})
