import { expect, test } from 'bun:test'
import { upsertAccount } from '#store/accounts/accounts.ts'
import { recordVersionRecord } from '#store/sites/version-records/record-version-record.ts'
import { onEachStore } from '#tests/support/database/databases.ts'
import {
  alice,
  bob,
  newVersionRecord,
  siteOf,
  versionKeyOf,
} from '#tests/support/database/sample-rows.ts'
import { askedAt } from '#tests/support/database/work-rows.ts'
import { enqueueAccounts, enqueueSites, enqueueVersions } from './enqueue.ts'
import { takeDue } from './take-due.ts'
import { hasUnreadVersions, listUnread } from './unread.ts'
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

  test('a version record waits to be read until it is known what was live, or it is given up', async () => {
    const context = askedAt(db(), 1)
    const key = versionKeyOf(1)
    const keep = (facts = {}) => recordVersionRecord(db(), newVersionRecord(1, facts), 1)
    await upsertAccount(db(), { did: alice }, 1)
    await enqueueVersions(context, [{ did: bob, key }])
    expect(await hasUnreadVersions(db(), alice)).toBe(false)
    await enqueueVersions(context, [{ did: alice, key }])
    expect(await hasUnreadVersions(db(), alice)).toBe(true)
    // A preview may have gone live.
    await keep({ manifest: null })
    expect(await hasUnreadVersions(db(), alice)).toBe(true)
    await keep()
    expect(await hasUnreadVersions(db(), alice)).toBe(false)
    await enqueueVersions(context, [{ did: alice, key: versionKeyOf(2) }])
    expect(await hasUnreadVersions(db(), alice)).toBe(true)
    const due = { kind: 'version', now: 1, leaseMs: 5, limit: 9 } as const
    for (let n = 0; n < 2; n++) {
      for (const item of await takeDue(db(), due)) {
        await retryItem(db(), item, { at: null, error: 'no answer' })
      }
    }
    expect(await hasUnreadVersions(db(), alice)).toBe(false)
  })
})
