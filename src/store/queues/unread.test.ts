import { expect, test } from 'bun:test'
import { onEachStore } from '#tests/support/databases.ts'
import { alice, bob, siteOf } from '#tests/support/sample-rows.ts'
import { enqueueAccounts, retryAccount, takeDueAccounts } from './account-queue.ts'
import { enqueueIngest, retryIngest, takeDueIngest } from './ingest-queue.ts'
import { listUnread } from './unread.ts'

await onEachStore('store/queues/unread', (db) => {
  test('sites and accounts that failed, parked ones first; not what waits for its first turn', async () => {
    const now = 10
    await enqueueIngest(db(), [siteOf('later'), siteOf('parked')], now)
    // Of one account, one after the other.
    for (const _ of ['later', 'parked']) {
      for (const item of await takeDueIngest(db(), { now, leaseMs: 5, limit: 9 })) {
        await retryIngest(db(), item, { at: item.name === 'parked' ? null : 50, error: 'away' })
      }
    }
    await enqueueAccounts(db(), [bob], { now, isUrgent: true })
    for (const item of await takeDueAccounts(db(), { now, leaseMs: 5, limit: 9 })) {
      await retryAccount(db(), item, { at: 70, error: 'no answer' })
    }
    await enqueueIngest(db(), [siteOf('waits')], now)
    const parked = { did: alice, name: 'parked', attempts: 1, error: 'away', nextAttemptAt: null }
    const account = { did: bob, name: null, attempts: 1, error: 'no answer', nextAttemptAt: 70 }
    const later = { ...parked, name: 'later', nextAttemptAt: 50 }
    expect(await listUnread(db(), 9)).toEqual([parked, account, later])
    expect(await listUnread(db(), 2)).toEqual([parked, account])
  })
})
