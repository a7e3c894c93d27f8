import { describe, expect, test } from 'bun:test'
import { sql } from 'kysely'
import type { Did } from '#site/site-address.ts'
import { upsertAccount } from '#store/accounts/accounts.ts'
import { type Db, openDatabase } from '#store/database/database.ts'
import type { WorkKind } from '#store/database/schema.ts'
import { inTransaction } from '#store/database/transaction.ts'
import { rememberVisited } from '#store/lifecycle/visited-accounts.ts'
import { onEachStore } from '#tests/support/database/databases.ts'
import { accountOf, alice, bob, nameOf, siteOf } from '#tests/support/database/sample-rows.ts'
import { askedAt } from '#tests/support/database/work-rows.ts'
import { eventually } from '#tests/support/eventually.ts'
import { enqueueAccounts, enqueueSites } from './enqueue.ts'
import { listLines } from './queued.ts'
import { nextDueAt, type Owners, takeDue } from './take-due.ts'
import { finishItem, putInLine, retryItem, type WorkItem } from './work-items.ts'

const leaseMs = 100

onEachStore('store/queues/take-due', (db) => {
  const enqueue = (name: string, now: number, did = alice) =>
    enqueueSites(askedAt(db(), now), [siteOf(name, did)])
  const take = (now: number, limit = 10) => takeDue(db(), { kind: 'site', now, leaseMs, limit })
  const takeOne = async (now: number): Promise<WorkItem> => {
    const [item] = await take(now)
    if (item === undefined) throw new Error('nothing is due')
    return item
  }
  const nextAt = (now: number, owners?: Owners) =>
    nextDueAt(db(), { kind: 'site', priority: 0, owners, now })

  test('nothing is due in an empty queue', async () => {
    expect(await take(1)).toEqual([])
    expect(await nextAt(1)).toBeNull()
  })

  describe('sites', () => {
    test('one site of each of the longest waiting accounts is taken, up to the limit', async () => {
      const of = (letter: string): Did => `did:plc:${letter.repeat(24)}`
      await enqueue('late', 2, of('b'))
      await enqueue('x', 2, of('c'))
      await enqueue('first', 1, of('a'))
      await enqueue('second', 1, of('a'))
      await enqueue('x', 3, of('d'))
      const named = (items: WorkItem[]) => items.map(({ did, site }) => `${did.at(-1)} ${site}`)
      const taken = await take(3, 2)
      expect(named(taken)).toEqual(['a first', 'b late'])
      // The other sites of an account with a leased site wait; other accounts do not.
      expect(named(await take(3, 9))).toEqual(['c x', 'd x'])
      await finishItem(db(), taken[0] as WorkItem)
      expect(named(await take(3, 9))).toEqual(['a second'])
    })

    test('an account with many sites does not delay others', async () => {
      const many = Array.from({ length: 50 }, (_, n) => siteOf(`site-${n}`))
      await enqueueSites(askedAt(db(), 1), many)
      for (const n of [1, 2]) await enqueue('x', 2, accountOf(n))
      const dids = (await take(3, 3)).map(({ did }) => did)
      expect(dids).toEqual([alice, accountOf(1), accountOf(2)])
    })

    test('sites of an account that is being checked can be taken', async () => {
      await enqueue('a', 1)
      await enqueueAccounts(askedAt(db(), 1), [alice], { isUrgent: true })
      const account = { kind: 'account', priorities: [1], now: 1, leaseMs, limit: 9 } as const
      expect(await takeDue(db(), account)).toHaveLength(1)
      expect(await take(1)).toHaveLength(1)
    })

    test('a site that waits for another one of its account is not due, others are', async () => {
      await enqueue('a', 10)
      await enqueue('b', 10)
      await take(10)
      expect(await nextAt(20)).toBe(110)
      expect(await nextAt(110)).toBe(10)
      await enqueue('blog', 15, bob)
      expect(await nextAt(20)).toBe(15)
    })

    test('a failed site is due at its next attempt', async () => {
      await enqueue('a', 10)
      await retryItem(db(), await takeOne(10), { at: 50, error: 'away' })
      expect(await nextAt(10)).toBe(50)
    })

    test('items of only visited accounts and of others are separate', async () => {
      await rememberVisited(db(), bob, 1)
      await enqueue('a', 10)
      await enqueue('blog', 5, bob)
      expect([await nextAt(1, 'visited'), await nextAt(1, 'not-visited')]).toEqual([5, 10])
      const takeOf = async (owners: Owners) => {
        const items = await takeDue(db(), { kind: 'site', owners, now: 20, leaseMs, limit: 9 })
        return items.map(({ did }) => did)
      }
      expect(await takeOf('not-visited')).toEqual([alice])
      expect(await takeOf('visited')).toEqual([bob])
    })

    test('a site in a line keeps its place and is taken from that line only', async () => {
      await upsertAccount(db(), { did: alice, pds: 'https://slow.test' }, 1)
      for (const [n, name] of ['a', 'b', 'c'].entries()) await enqueue(name, 10 + n)
      const item = await takeOne(12)
      expect(item.pds).toBe('https://slow.test')
      await putInLine(db(), [item], 'slow slow.test')
      await enqueue('a', 13)
      const other = await takeOne(13)
      expect(other.site).toBe(nameOf('b'))
      await putInLine(db(), [other], 'slow slow.test')
      await finishItem(db(), await takeOne(13))
      expect([await take(13), await nextAt(13)]).toEqual([[], null])
      expect(await listLines(db(), 'site')).toEqual(['slow slow.test'])
      const takeFrom = (line: string) =>
        takeDue(db(), { kind: 'site', now: 13, leaseMs: 9, limit: 9, line })
      expect(await takeFrom('quick slow.test')).toEqual([])
      const [first] = await takeFrom('slow slow.test')
      expect(first).toMatchObject({ site: nameOf('a'), attempts: 1 })
      await retryItem(db(), first as WorkItem, { at: 14, error: 'away' })
      // A finished or failed site is in no line any more.
      expect((await takeOne(14)).site).toBe(nameOf('a'))
    })
  })

  describe('accounts', () => {
    const ask = (did: Did, now: number, isUrgent = true) =>
      enqueueAccounts(askedAt(db(), now), [did], { isUrgent })
    const taken = async (now: number, facts: { limit?: number; owners?: Owners } = {}) => {
      const all = { kind: 'account', priorities: [1, 0], now, leaseMs, limit: 9 } as const
      return (await takeDue(db(), { ...all, ...facts })).map(({ did }) => did)
    }
    const urgent = async (now: number, limit = 9) => {
      const only = { kind: 'account', priorities: [1], now, leaseMs, limit } as const
      return (await takeDue(db(), only)).map(({ did }) => did)
    }

    test('the next urgent account has its due time', async () => {
      const isDue = async (now: number) =>
        ((await nextDueAt(db(), { kind: 'account', priority: 1, now })) ?? 1e9) <= now
      await ask(bob, 10, false)
      expect(await isDue(10)).toBe(false)
      await ask(alice, 20)
      expect(await isDue(19)).toBe(false)
      expect(await isDue(20)).toBe(true)
      expect(await urgent(20)).toEqual([alice])
      expect(await isDue(20)).toBe(false)
      expect(await isDue(20 + leaseMs)).toBe(true)
    })

    test('urgent accounts go first, then the longest waiting', async () => {
      const [carol, dave] = [accountOf(1), accountOf(2)]
      await ask(alice, 1, false)
      await ask(bob, 3)
      await ask(carol, 2)
      await ask(dave, 0, false)
      expect(await taken(9, { limit: 3 })).toEqual([carol, bob, dave])
      expect(await taken(9)).toEqual([alice])
      expect(await taken(9)).toEqual([])
    })

    test('only urgent accounts are taken, when asked for', async () => {
      await ask(alice, 1, false)
      expect(await urgent(9)).toEqual([])
      await ask(alice, 2)
      expect(await urgent(9)).toEqual([alice])
    })

    test('an urgent account stays urgent when it is enqueued as not urgent', async () => {
      await ask(alice, 1)
      await ask(alice, 2, false)
      expect(await urgent(9)).toEqual([alice])
    })

    test('known accounts, and visited or unknown ones, are separate', async () => {
      const carol = accountOf(1)
      await upsertAccount(db(), { did: alice }, 1)
      await rememberVisited(db(), bob, 1)
      await upsertAccount(db(), { did: bob }, 1)
      for (const did of [alice, bob, carol]) await ask(did, 2)
      expect(await taken(9, { owners: 'known' })).toEqual([alice])
      expect(await taken(9, { owners: 'strangers' })).toEqual([bob, carol])
    })

    test('concurrent callers get each account once', async () => {
      const dids = Array.from({ length: 20 }, (_, i) => `did:web:host-${i}.example` as Did)
      await enqueueAccounts(askedAt(db(), 1), dids, { isUrgent: true })
      const takes = Array.from({ length: 10 }, () => urgent(1, 3))
      const all = (await Promise.all(takes)).flat()
      expect(all.length).toBe(new Set(all).size)
      expect(new Set([...all, ...(await urgent(1, 20))]).size).toBe(20)
    })
  })
})

onEachStore('store/queues/take-due with two instances', (_, dialect, options) => {
  test.each<WorkKind>(['site', 'account'])('nothing of kind %s is taken by both', async (kind) => {
    await using one = openDatabase(options())
    await using two = openDatabase(options())
    const dids = Array.from({ length: 100 }, (_, n) => accountOf(n))
    const context = askedAt(one.db, 1)
    await enqueueAccounts(context, dids, { isUrgent: false })
    await enqueueSites(
      context,
      dids.map((did) => siteOf('site', did)),
    )
    const takes = Array.from({ length: 20 }, (_, n) =>
      takeDue((n % 2 ? one : two).db, { kind, now: 2, leaseMs, limit: 7 }),
    )
    const taken = (await Promise.all(takes)).flat().map(({ did }) => did)
    expect(new Set(taken).size).toBe(taken.length)
    const rest = await takeDue(one.db, { kind, now: 2, leaseMs, limit: 100 })
    expect(taken.length + rest.length).toBe(100)
  })

  // SQLite has one writing transaction at a time anyway.
  if (dialect === 'sqlite') return
  test('nor two sites of one account, each by one', async () => {
    await using one = openDatabase(options())
    await using two = openDatabase(options())
    const site = { kind: 'site', now: 2, leaseMs, limit: 7 } as const
    await enqueueSites(askedAt(one.db, 1), [siteOf('a')])
    let second: Promise<WorkItem[]> = Promise.resolve([])
    await inTransaction(one.db, async (transaction) => {
      expect(await takeDue(transaction, site)).toHaveLength(1)
      // Not locked by the first one, whose lease nobody sees yet.
      await enqueueSites(askedAt(two.db, 1), [siteOf('b')])
      second = takeDue(two.db, site)
      await eventually(async () => expect(await waitingForMutex(transaction)).toBe(1))
    })
    expect(await second).toEqual([])
  })
})

async function waitingForMutex(db: Db): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) from pg_locks join pg_database on pg_database.oid = pg_locks.database
    where locktype = 'advisory' and not granted and datname = current_database()`.execute(db)
  return Number(rows[0]?.count)
}
