import { expect, test } from 'bun:test'
import type { Did, SiteAddress } from '#site/site-address.ts'
import { setAccountStatus } from '#store/accounts/account-status.ts'
import { upsertAccount } from '#store/accounts/accounts.ts'
import { inSharedTransaction } from '#store/database/shared-transaction.ts'
import { inTransaction } from '#store/database/transaction.ts'
import { WakeUps, type WakeUpTopic } from '#store/database/wake-ups.ts'
import { onEachStore } from '#tests/support/database/databases.ts'
import { queuedAccounts } from '#tests/support/database/queued-accounts.ts'
import { accountOf, alice, bob, siteOf } from '#tests/support/database/sample-rows.ts'
import { askedAt, clearWork, workRows } from '#tests/support/database/work-rows.ts'
import { countIngest } from '#tests/support/publishing/count-ingest.ts'
import {
  enqueueAccounts,
  enqueueInactiveAccounts,
  enqueueKnownAccounts,
  enqueueSites,
} from './enqueue.ts'
import { takeDue } from './take-due.ts'
import { retryItem, type WorkItem } from './work-items.ts'

onEachStore('store/queues/enqueue', (db) => {
  const enqueue = (sites: readonly SiteAddress[], now: number) =>
    enqueueSites(askedAt(db(), now), sites)
  const taken = async (now: number) => {
    const due = { kind: 'account', priorities: [1, 0], now, leaseMs: 100, limit: 9 } as const
    return await takeDue(db(), due)
  }
  const ofDids = (items: readonly WorkItem[]) => items.map(({ did }) => did)

  test('at most a thousand sites of an account wait, and waiting ones can be enqueued again', async () => {
    const named = (prefix: string, count: number, did = alice) =>
      Array.from({ length: count }, (_, n) => siteOf(`${prefix}-${n}`, did))
    expect(await enqueue(named('a', 600), 1)).toBe(0)
    expect(await enqueue([...named('b', 500), ...named('b', 3, bob)], 2)).toBe(100)
    expect(await countIngest(db())).toBe(1003)
    expect(await enqueue([...named('c', 5), ...named('a', 600)], 3)).toBe(5)
    const rows = await workRows(db(), 'site')
    expect(rows.filter(({ nextAttemptAt }) => nextAttemptAt === 3)).toHaveLength(600)
    expect(rows.some(({ site }) => site.startsWith('c'))).toBe(false)

    await db().deleteFrom('workItems').where('did', '=', alice).execute()
    expect(await enqueue(named('d', 1200), 4)).toBe(200)
    expect(await countIngest(db())).toBe(1003)
  })

  test('thousands of sites are enqueued once each by concurrent callers', async () => {
    const sites = Array.from({ length: 1500 }, (_, n) => siteOf(`site-${n}`, n % 2 ? alice : bob))
    const lists = [sites, sites.toReversed(), [...sites, ...sites]]
    await Promise.all(lists.map((list, n) => enqueue(list, n)))
    expect(await countIngest(db())).toBe(1500)
  })

  test('the worker of that kind is woken after the commit', async () => {
    const wakeUps = new WakeUps()
    const woken: WakeUpTopic[] = []
    using _ = wakeUps.forward(['site', 'account'], (topic) => woken.push(topic))
    const context = { db: db(), wakeUps, now: () => 1 }
    await enqueueSites(context, [])
    await enqueueAccounts(context, [], { isUrgent: true })
    expect(woken).toEqual([])
    await enqueueSites(context, [siteOf('a')])
    expect(woken).toEqual(['site'])
    await enqueueAccounts(context, [alice, bob], { isUrgent: true })
    expect(woken).toEqual(['site', 'account'])
    // Enqueued again while it is leased: it is read once more.
    await enqueueSites(context, [siteOf('a')])
    expect(woken).toEqual(['site', 'account', 'site'])
  })

  test.each([
    ['a transaction', inTransaction],
    ['a shared transaction', inSharedTransaction],
  ] as const)('in %s: when it has committed, and not if it does not', async (_, inOne) => {
    const wakeUps = new WakeUps()
    const woken: number[] = []
    let isCommitted = false
    using _forwarding = wakeUps.forward(['site'], () => woken.push(isCommitted ? 1 : 0))
    const context = { wakeUps, now: () => 1 }
    const failed = inOne(db(), async (transaction) => {
      await enqueueSites({ ...context, db: transaction }, [siteOf('a')])
      throw new Error('taken back')
    })
    await expect(failed).rejects.toThrow('taken back')
    expect(woken).toEqual([])
    await inOne(db(), async (transaction) => {
      await enqueueSites({ ...context, db: transaction }, [siteOf('a')])
      isCommitted = true
    })
    expect(woken).toEqual([1])
    expect(await countIngest(db())).toBe(1)
  })

  test('every known account is enqueued, page by page', async () => {
    const dids = Array.from({ length: 1001 }, (_, i) => `did:web:host-${i}.example` as Did)
    const row = { handle: null, pds: null, status: 'active' } as const
    for (let i = 0; i < dids.length; i += 100) {
      const rows = dids
        .slice(i, i + 100)
        .map((did) => ({ did, ...row, createdAt: 1, updatedAt: 1 }))
      await db().insertInto('accounts').values(rows).execute()
    }
    expect(await enqueueKnownAccounts(askedAt(db(), 5))).toBe(1001)
    const rows = await workRows(db(), 'account')
    expect(rows).toHaveLength(1001)
    expect(rows.every(({ priority }) => priority === 0)).toBe(true)
  })

  test('without known accounts nothing is enqueued', async () => {
    expect(await enqueueKnownAccounts(askedAt(db(), 5))).toBe(0)
    await upsertAccount(db(), { did: alice }, 1)
    expect(await enqueueKnownAccounts(askedAt(db(), 5))).toBe(1)
  })

  test('inactive accounts are enqueued a day after their last check, longest ago first', async () => {
    const dids = Array.from({ length: 5 }, (_, i) => accountOf(i))
    const [active, parked, ...hidden] = dids as [Did, Did, Did, Did, Did]
    for (const [i, did] of dids.entries()) {
      await upsertAccount(db(), { did }, 1)
      if (did !== active) await setAccountStatus(db(), did, 'deactivated', 10 - i)
    }
    await enqueueAccounts(askedAt(db(), 1), [parked], { isUrgent: true })
    const [item] = await taken(1)
    await retryItem(db(), item as WorkItem, { at: null, error: 'away' })
    // A waiting site of the account makes no difference.
    await enqueue([siteOf('a', hidden[0])], 1)
    const inactive = (before: number, limit = 9) =>
      enqueueInactiveAccounts(askedAt(db(), 20), { before, limit })
    const [newest, between, oldest] = hidden
    expect(await inactive(6)).toBe(0)
    expect(await inactive(9, 2)).toBe(2)
    expect(ofDids(await taken(20))).toEqual([between, oldest].sort() as Did[])
    expect(await inactive(9)).toBe(1)
    expect(ofDids(await taken(20))).toEqual([newest])
    expect(await inactive(9)).toBe(0)
    await clearWork(db(), 'account')
    expect(await queuedAccounts(db())).toEqual([])
  })
})
