import { describe, expect, test } from 'bun:test'
import type { Did } from '#site/site-address.ts'
import { setAccountStatus } from '#store/accounts/account-status.ts'
import { upsertAccount } from '#store/accounts/accounts.ts'
import { removeSite } from '#store/sites/remove-site.ts'
import { onEachStore } from '#tests/support/database/databases.ts'
import { queuedAccounts } from '#tests/support/database/queued-accounts.ts'
import { accountOf, alice, nameOf, siteOf } from '#tests/support/database/sample-rows.ts'
import { askedAt } from '#tests/support/database/work-rows.ts'
import { countIngest } from '#tests/support/publishing/count-ingest.ts'
import { enqueueAccounts, enqueueSites } from './enqueue.ts'
import {
  deleteParkedUnknown,
  isAccountQueued,
  listAwaitedSites,
  listQueuedNames,
} from './queued.ts'
import { takeDue } from './take-due.ts'
import { listUnreadSites, type UnreadSite } from './unread.ts'
import { retryItem, type WorkItem } from './work-items.ts'

onEachStore('store/queues/queued', (db) => {
  const enqueue = (name: string, now: number) => enqueueSites(askedAt(db(), now), [siteOf(name)])
  const ask = (did: Did, now: number) =>
    enqueueAccounts(askedAt(db(), now), [did], { isUrgent: true })
  const takeOne = async (kind: 'site' | 'account', now: number): Promise<WorkItem> => {
    const priorities = kind === 'site' ? ([0] as const) : ([1] as const)
    const [item] = await takeDue(db(), { kind, priorities, now, leaseMs: 100, limit: 1 })
    if (item === undefined) throw new Error('nothing is due')
    return item
  }

  describe('a site is awaited', () => {
    test('most recently enqueued first', async () => {
      await enqueue('a', 10)
      await enqueue('b', 20)
      await ask(alice, 30)
      await takeOne('site', 30)
      expect(await listAwaitedSites(db(), 2)).toEqual([siteOf('b'), siteOf('a')])
      expect(await listAwaitedSites(db(), 1)).toEqual([siteOf('b')])
    })
    test('until it has failed three times', async () => {
      await enqueue('a', 10)
      for (const at of [10, 20, 30]) {
        expect(await listAwaitedSites(db(), 2)).toHaveLength(1)
        await retryItem(db(), await takeOne('site', at), { at: at + 10, error: 'away' })
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

  test('enqueuing an account enqueues none of its sites, and vice versa', async () => {
    await enqueue('a', 10)
    expect(await isAccountQueued(db(), alice)).toBe(false)
    await ask(alice, 10)
    expect(await isAccountQueued(db(), alice)).toBe(true)
    expect(await listQueuedNames(db(), alice)).toEqual([nameOf('a')])
  })

  test('parked sites are listed, and not counted as due', async () => {
    for (const name of ['a', 'b', 'c']) await enqueue(name, 10)
    for (const at of [null, null, 5000]) {
      await retryItem(db(), await takeOne('site', 10), { at, error: 'away' })
    }
    const failed = (name: string, nextAttemptAt: number | null): UnreadSite => ({
      ...siteOf(name),
      attempts: 1,
      error: 'away',
      nextAttemptAt,
    })
    const listed = () => listUnreadSites(db(), alice)
    expect(await listed()).toEqual([failed('a', null), failed('b', null), failed('c', 5000)])
    expect(await countIngest(db())).toBe(1)
    expect(await takeOne('site', 5000)).toMatchObject({ site: nameOf('c') })
    await enqueue('a', 6000)
    expect(await listed()).toMatchObject([{ name: 'b', nextAttemptAt: null }, { name: 'c' }])
  })

  test('the most recently enqueued parked items of unknown accounts stay', async () => {
    const dids = Array.from({ length: 5 }, (_, i) => accountOf(i))
    const [known, ...unknown] = dids as [Did, Did, Did, Did, Did]
    await upsertAccount(db(), { did: known }, 1)
    for (const [i, did] of dids.entries()) {
      await ask(did, i + 1)
      await retryItem(db(), await takeOne('account', i + 1), { at: null, error: 'away' })
    }
    await ask(alice, 1)
    // A parked site is not deleted.
    await enqueueSites(askedAt(db(), 1), [siteOf('a', unknown[0])])
    await retryItem(db(), await takeOne('site', 1), { at: null, error: 'away' })
    const left = async () => (await queuedAccounts(db())).map(({ did }) => did)
    await deleteParkedUnknown(db(), 4)
    expect(await left()).toEqual([alice, ...dids].sort())
    await deleteParkedUnknown(db(), 3)
    expect(await left()).toEqual([alice, known, ...unknown.slice(1)].sort())
    expect(await listQueuedNames(db(), unknown[0] as Did)).toEqual([nameOf('a')])
  })
})
