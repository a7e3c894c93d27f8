import { expect, test } from 'bun:test'
import { onEachStore } from '#tests/support/databases.ts'
import { alice, bob, siteOf } from '#tests/support/sample-rows.ts'
import { askedAt } from '#tests/support/work-rows.ts'
import { enqueueAccounts, enqueueSites } from './enqueue.ts'
import { takeDue } from './take-due.ts'
import { listUnread } from './unread.ts'
import { retryItem } from './work-items.ts'

onEachStore('store/queues/unread', (db) => {
  test('failed sites and accounts are listed, parked ones first; not items without an attempt', async () => {
    const now = 10
    const context = askedAt(db(), now)
    const due = { now, leaseMs: 5, limit: 9 }
    await enqueueSites(context, [siteOf('later'), siteOf('parked')])
    // Of one account, one after the other.
    for (const _ of ['later', 'parked']) {
      for (const item of await takeDue(db(), { ...due, kind: 'site' })) {
        await retryItem(db(), item, { at: item.site === 'parked' ? null : 50, error: 'away' })
      }
    }
    await enqueueAccounts(context, [bob], { isUrgent: true })
    for (const item of await takeDue(db(), { ...due, kind: 'account', priorities: [1] })) {
      await retryItem(db(), item, { at: 70, error: 'no answer' })
    }
    await enqueueSites(context, [siteOf('waits')])
    const parked = { did: alice, name: 'parked', attempts: 1, error: 'away', nextAttemptAt: null }
    const account = { did: bob, name: null, attempts: 1, error: 'no answer', nextAttemptAt: 70 }
    const later = { ...parked, name: 'later', nextAttemptAt: 50 }
    expect(await listUnread(db(), 9)).toEqual([parked, account, later])
    expect(await listUnread(db(), 2)).toEqual([parked, account])
  })
})
