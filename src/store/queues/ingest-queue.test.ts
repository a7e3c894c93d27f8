import { describe, expect, test } from 'bun:test'
import type { Did } from '#site/site-address.ts'
import { setAccountStatus, upsertAccount } from '#store/accounts/accounts.ts'
import { openDatabase } from '#store/database/database.ts'
import { migrate } from '#store/database/migrate.ts'
import { rememberVisited } from '#store/lifecycle/visited-accounts.ts'
import { removeSite } from '#store/sites/remove-site.ts'
import { countIngest } from '#tests/support/count-ingest.ts'
import { onEachDatabase, onEachStore } from '#tests/support/databases.ts'
import { alice, bob, nameOf, siteOf } from '#tests/support/sample-rows.ts'
import { listIngestLines, putInLine } from './ingest-lines.ts'
import {
  enqueueIngest,
  finishIngest,
  type IngestItem,
  type IngestOwners,
  listAwaitedSites,
  nextIngestAt,
  renewIngestLease,
  retryIngest,
  takeDueIngest,
} from './ingest-queue.ts'
import { listUnreadSites, type UnreadSite } from './unread.ts'

await onEachStore('store/queues/ingest-queue', (db) => {
  const enqueue = (name: string, now: number) => enqueueIngest(db(), [siteOf(name)], now)
  const take = (now: number, limit = 10) => takeDueIngest(db(), { now, leaseMs: 100, limit })
  const takeOne = async (now: number): Promise<IngestItem> => {
    const [item] = await take(now)
    if (item === undefined) throw new Error('nothing is due')
    return item
  }

  test('nothing is due in an empty queue', async () => {
    expect(await take(1)).toEqual([])
    expect(await nextIngestAt(db(), { now: 1 })).toBeNull()
  })

  test('a site is taken once, and gone when finished', async () => {
    await enqueue('a', 10)
    const item = await takeOne(10)
    const asked = { enqueuedAt: 10, attempts: 1, token: expect.any(String) as string }
    expect(item).toEqual({ ...siteOf('a'), ...asked, pds: null })
    expect(await take(10)).toEqual([])
    await finishIngest(db(), item)
    expect(await countIngest(db())).toBe(0)
  })

  test('of an account a thousand wait at most, and those that do can be asked for again', async () => {
    const named = (prefix: string, count: number, did = alice) =>
      Array.from({ length: count }, (_, n) => siteOf(`${prefix}-${n}`, did))
    expect(await enqueueIngest(db(), named('a', 600), 1)).toBe(0)
    expect(await enqueueIngest(db(), [...named('b', 500), ...named('b', 3, bob)], 2)).toBe(100)
    expect(await countIngest(db())).toBe(1003)
    expect(await enqueueIngest(db(), [...named('c', 5), ...named('a', 600)], 3)).toBe(5)
    const rows = await db().selectFrom('ingestQueue').select(['name', 'nextAttemptAt']).execute()
    expect(rows.filter(({ nextAttemptAt }) => nextAttemptAt === 3)).toHaveLength(600)
    expect(rows.some(({ name }) => name.startsWith('c'))).toBe(false)

    await db().deleteFrom('ingestQueue').where('did', '=', alice).execute()
    expect(await enqueueIngest(db(), named('d', 1200), 4)).toBe(200)
    expect(await countIngest(db())).toBe(1003)
  })

  test('the accounts that have waited longest come first, up to the limit, a site of each', async () => {
    const of = (letter: string): Did => `did:plc:${letter.repeat(24)}`
    await enqueueIngest(db(), [siteOf('late', of('b')), siteOf('x', of('c'))], 2)
    await enqueueIngest(db(), [siteOf('first', of('a')), siteOf('second', of('a'))], 1)
    await enqueueIngest(db(), [siteOf('x', of('d'))], 3)
    const named = (items: IngestItem[]) => items.map(({ did, name }) => `${did.at(-1)} ${name}`)
    const taken = await take(3, 2)
    expect(named(taken)).toEqual(['a first', 'b late'])
    // An account that is being looked at waits with its others; everybody else goes on.
    expect(named(await take(3, 9))).toEqual(['c x', 'd x'])
    await finishIngest(db(), taken[0] as IngestItem)
    expect(named(await take(3, 9))).toEqual(['a second'])
  })

  test('a lease that ends gives the site to the next', async () => {
    await enqueue('a', 10)
    await take(10)
    expect(await nextIngestAt(db(), { now: 10 })).toBe(110)
    expect(await take(109)).toEqual([])
    expect(await takeOne(110)).toMatchObject({ attempts: 2 })
  })

  test('what waits for another site of its account is not due, and others are', async () => {
    await enqueue('a', 10)
    await enqueue('b', 10)
    await take(10)
    expect(await nextIngestAt(db(), { now: 20 })).toBe(110)
    expect(await nextIngestAt(db(), { now: 110 })).toBe(10)
    await enqueueIngest(db(), [siteOf('blog', bob)], 15)
    expect(await nextIngestAt(db(), { now: 20 })).toBe(15)
  })

  test('sites of accounts that are only visited, and those of others', async () => {
    await rememberVisited(db(), bob, 1)
    await enqueue('a', 10)
    await enqueueIngest(db(), [siteOf('blog', bob)], 5)
    const next = (of: IngestOwners) => nextIngestAt(db(), { now: 1, of })
    expect([await next('visited'), await next('others')]).toEqual([5, 10])
    const takeOf = async (of: IngestOwners) =>
      (await takeDueIngest(db(), { now: 20, leaseMs: 100, limit: 9, of })).map(({ did }) => did)
    expect(await takeOf('others')).toEqual([alice])
    expect(await takeOf('visited')).toEqual([bob])
  })

  test('a lease that is renewed lasts longer; one that has ended is not brought back', async () => {
    await enqueue('a', 10)
    const item = await takeOne(10)
    await renewIngestLease(db(), item, { now: 50, leaseMs: 100 })
    expect(await take(149)).toEqual([])
    expect(await takeOne(150)).toMatchObject({ attempts: 2 })
    await retryIngest(db(), item, { at: 160, error: 'server away' })
    await renewIngestLease(db(), item, { now: 160, leaseMs: 100 })
    expect(await takeOne(160)).toMatchObject({ attempts: 3 })
  })

  test('asked for again while it is being looked at: once more, but not twice at once', async () => {
    await enqueue('a', 10)
    const first = await takeOne(10)
    await enqueue('a', 20)
    expect(await take(20)).toEqual([])
    await finishIngest(db(), first)
    const second = await takeOne(21)
    expect(second).toMatchObject({ attempts: 1, enqueuedAt: 10 })
    await finishIngest(db(), second)
    expect(await countIngest(db())).toBe(0)
  })

  test('a failure comes back at its time, and counts', async () => {
    await enqueue('a', 10)
    await retryIngest(db(), await takeOne(10), { at: 50, error: 'server away\0' })
    expect(await nextIngestAt(db(), { now: 10 })).toBe(50)
    expect(await take(49)).toEqual([])
    expect(await takeOne(50)).toMatchObject({ attempts: 2 })
    const row = await db().selectFrom('ingestQueue').select('lastError').executeTakeFirst()
    expect(row).toEqual({ lastError: 'server away\u{FFFD}' })
  })

  test('one that is parked waits until it is asked for, is listed, and does not count', async () => {
    for (const name of ['a', 'b', 'c']) await enqueue(name, 10)
    for (const at of [null, null, 5000]) {
      await retryIngest(db(), await takeOne(10), { at, error: 'away' })
    }
    const failed = (name: string, nextAttemptAt: number | null): UnreadSite => ({
      ...siteOf(name),
      ...{ attempts: 1, error: 'away', nextAttemptAt },
    })
    const listed = () => listUnreadSites(db(), siteOf('a').did)
    expect(await listed()).toEqual([failed('a', null), failed('b', null), failed('c', 5000)])
    expect(await countIngest(db())).toBe(1)
    expect(await takeOne(5000)).toMatchObject({ name: 'c' })
    await enqueue('a', 6000)
    expect(await listed()).toMatchObject([{ name: 'b', nextAttemptAt: null }, { name: 'c' }])
  })

  test('one account with many sites keeps none of the others', async () => {
    await enqueueIngest(
      db(),
      Array.from({ length: 50 }, (_, n) => siteOf(`site-${n}`)),
      1,
    )
    await enqueueIngest(db(), [siteOf('x', accountOf(1)), siteOf('x', accountOf(2))], 2)
    const dids = (await take(3, 3)).map(({ did }) => did)
    expect(dids).toEqual([siteOf('x').did, accountOf(1), accountOf(2)])
  })

  test('asked for again while it failed, or afterwards: no sooner than that failure allows, and the attempts count', async () => {
    await enqueue('a', 10)
    const item = await takeOne(10)
    await enqueue('a', 20)
    await retryIngest(db(), item, { at: 5000, error: 'server away', notBefore: 50 })
    expect(await take(49)).toEqual([])
    const second = await takeOne(50)
    expect(second).toMatchObject({ attempts: 2 })
    await retryIngest(db(), second, { at: 5000, error: 'server away', notBefore: 90 })
    await enqueue('a', 60)
    expect(await take(89)).toEqual([])
    await enqueue('a', 95)
    expect(await take(94)).toEqual([])
    expect(await takeOne(95)).toMatchObject({ attempts: 3 })
  })

  test('what was parked begins anew when it is asked for', async () => {
    await enqueue('a', 10)
    await retryIngest(db(), await takeOne(10), { at: null, error: 'server away', notBefore: 20 })
    await enqueue('a', 30)
    expect(await takeOne(30)).toMatchObject({ attempts: 1 })
  })

  test('what waits in a line keeps its place and is taken from that line only', async () => {
    await upsertAccount(db(), { did: alice, pds: 'https://slow.test' }, 1)
    for (const [name, at] of [
      ['a', 10],
      ['b', 11],
      ['c', 12],
    ] as const)
      await enqueue(name, at)
    const item = await takeOne(12)
    expect(item.pds).toBe('https://slow.test')
    await putInLine(db(), [item], 'slow slow.test')
    await enqueue('a', 13)
    const other = await takeOne(13)
    expect(other.name).toBe(nameOf('b'))
    await putInLine(db(), [other], 'slow slow.test')
    await finishIngest(db(), await takeOne(13))
    expect([await take(13), await nextIngestAt(db(), { now: 13 })]).toEqual([[], null])
    expect(await listIngestLines(db())).toEqual(['slow slow.test'])
    const takeFrom = (line: string) => takeDueIngest(db(), { now: 13, leaseMs: 9, limit: 9, line })
    expect(await takeFrom('quick slow.test')).toEqual([])
    const [first] = await takeFrom('slow slow.test')
    expect(first).toMatchObject({ name: nameOf('a'), attempts: 1 })
    await retryIngest(db(), first as IngestItem, { at: 14, error: 'away' })
    // Whoever has been worked on is in no line any more.
    expect((await takeOne(14)).name).toBe(nameOf('a'))
  })

  test('whoever lost the lease but did the work still finishes it', async () => {
    await enqueue('a', 10)
    const late = await takeOne(10)
    const other = await takeOne(200)
    await finishIngest(db(), late)
    expect(await countIngest(db())).toBe(0)
    await finishIngest(db(), other)
    await retryIngest(db(), other, { at: 300, error: 'too late' })
    expect(await countIngest(db())).toBe(0)
  })

  describe('a site is awaited', () => {
    test('those that were asked for last first', async () => {
      await enqueue('a', 10)
      await enqueue('b', 20)
      await takeOne(30)
      expect(await listAwaitedSites(db(), 2)).toEqual([siteOf('b'), siteOf('a')])
      expect(await listAwaitedSites(db(), 1)).toEqual([siteOf('b')])
    })
    test('until it has failed three times', async () => {
      await enqueue('a', 10)
      for (const at of [10, 20, 30]) {
        expect(await listAwaitedSites(db(), 2)).toHaveLength(1)
        await retryIngest(db(), await takeOne(at), { at: at + 10, error: 'away' })
      }
      expect(await listAwaitedSites(db(), 2)).toEqual([])
    })
    test('not when its owner removed it', async () => {
      await enqueue('a', 10)
      await upsertAccount(db(), { did: alice }, 1)
      await removeSite(db(), siteOf('a'), '3kaaaaaaaaaa2', 10)
      expect(await listAwaitedSites(db(), 2)).toEqual([])
    })
    test('not when its account is hidden', async () => {
      await enqueue('a', 10)
      await setAccountStatus(db(), siteOf('a').did, 'deactivated', 10)
      expect(await listAwaitedSites(db(), 2)).toEqual([])
    })
  })

  test('thousands are enqueued at once, the same ones by several, each once', async () => {
    const sites = Array.from({ length: 1500 }, (_, n) => siteOf(`site-${n}`, n % 2 ? alice : bob))
    const lists = [sites, sites.toReversed(), [...sites, ...sites]]
    await Promise.all(lists.map((list, n) => enqueueIngest(db(), list, n)))
    expect(await countIngest(db())).toBe(1500)
  })
})

await onEachDatabase('store/queues/ingest-queue with two instances', (make) => {
  test('no site is taken by both', async () => {
    await using own = await make()
    await using one = openDatabase(own.options)
    await using two = openDatabase(own.options)
    await migrate(one)
    await enqueueIngest(
      one.db,
      Array.from({ length: 100 }, (_, n) => siteOf('site', accountOf(n))),
      1,
    )
    const takes = Array.from({ length: 20 }, (_, n) =>
      takeDueIngest((n % 2 ? one : two).db, { now: 2, leaseMs: 100, limit: 7 }),
    )
    const taken = (await Promise.all(takes)).flat().map(({ did }) => did)
    expect(new Set(taken).size).toBe(taken.length)
    const rest = await takeDueIngest(one.db, { now: 2, leaseMs: 100, limit: 100 })
    expect(taken.length + rest.length).toBe(100)
  })
})

const accountOf = (n: number): Did =>
  `did:plc:${'a'.repeat(22)}${String.fromCharCode(97 + (n % 10))}${String.fromCharCode(97 + Math.floor(n / 10))}`
