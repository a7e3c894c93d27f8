import { expect, test } from 'bun:test'
import { clockSkewMs } from '#store/leases.ts'
import { beginAccountDeletion } from '#store/lifecycle/account-deletions.ts'
import { appendWebhookEvent } from '#store/webhooks/append-event.ts'
import { nextDeliveryAt } from '#store/webhooks/deliveries.ts'
import { createWebhook } from '#store/webhooks/webhooks.ts'
import { onEachStore } from '#tests/support/database/databases.ts'
import { alice, bob, newWebhook, siteOf } from '#tests/support/database/sample-rows.ts'
import { askedAt, workRows } from '#tests/support/database/work-rows.ts'
import { enqueueAccounts, enqueueSites } from './enqueue.ts'
import { takeDue } from './take-due.ts'
import { pullBackTimes } from './times-ahead.ts'
import { parkedAt, retryItem } from './work-items.ts'

const dayMs = 24 * 60 * 60 * 1000
const max = {
  retriesMs: [15_000, 60_000, dayMs],
  queueLeaseMs: 6_000,
  jobMs: 7_200_000,
  domainCheckMs: dayMs,
  accountDeletionMs: 20_000,
  deliveryMs: 10_000,
}
/** The right time, to the minute. */
const now = 1_000_000_000_000

onEachStore('store/queues/times-ahead', (db) => {
  const site = siteOf('blog', alice)
  const pullBack = () => pullBackTimes(db(), now, max)
  const due = { kind: 'site' as const, leaseMs: 6_000, limit: 9 }
  const dueSites = () => takeDue(db(), { ...due, now })
  const ask = (at: number) => enqueueSites(askedAt(db(), at), [site])

  test('an item that was enqueued a day ahead is due', async () => {
    await ask(now + dayMs)
    await enqueueAccounts(askedAt(db(), now + dayMs), [alice], { isUrgent: true })
    await beginAccountDeletion(db(), bob, now + dayMs)
    expect(await dueSites()).toEqual([])
    await createWebhook(db(), newWebhook(), { webhooksMax: 1, now })
    const told = { did: alice, site: site.name }
    await appendWebhookEvent(db(), 'site.published', told, now + dayMs)
    expect(await pullBack()).toBe(4)
    expect(await nextDeliveryAt(db())).toBe(now)
    expect(await dueSites()).toMatchObject([{ site: site.name }])
    expect(await pullBack()).toBe(0)
  })

  test('an item that a dead process leased a day ahead is free', async () => {
    await ask(now)
    await takeDue(db(), { ...due, now: now + dayMs })
    expect(await dueSites()).toEqual([])
    await pullBack()
    expect(await dueSites()).toHaveLength(1)
  })

  test('an item that failed a day ahead is due when it is enqueued again', async () => {
    await ask(now)
    const [item] = await dueSites()
    if (item === undefined) throw new TypeError('nothing is due')
    const ahead = now + dayMs
    await retryItem(db(), item, { at: ahead + 15_000, error: 'away', notBefore: ahead + 1_000 })
    expect(await pullBack()).toBe(2)
    await ask(now)
    expect(await dueSites()).toHaveLength(1)
  })

  const waits: [attempts: number, aheadMs: number | null, isPulledBack: boolean][] = [
    [1, 60_000 + clockSkewMs, false],
    [1, 60_001 + clockSkewMs, true],
    [2, dayMs + clockSkewMs, false],
    [7, dayMs + clockSkewMs, false],
    [7, dayMs + clockSkewMs + 1, true],
    [7, null, false],
  ]
  for (const [attempts, aheadMs, isPulledBack] of waits) {
    test(`attempt ${attempts}, again after ${aheadMs} ms: ${isPulledBack ? 'pulled back' : 'unchanged'}`, async () => {
      await ask(now)
      const [item] = await dueSites()
      if (item === undefined) throw new TypeError('nothing is due')
      const at = aheadMs === null ? null : now + aheadMs
      await retryItem(db(), item, { at, error: 'away' })
      await db().updateTable('workItems').set({ attempts }).execute()
      expect(await pullBack()).toBe(isPulledBack ? 1 : 0)
      const [row] = await workRows(db(), 'site')
      expect(row?.nextAttemptAt).toBe(isPulledBack ? now : (at ?? parkedAt))
    })
  }

  test('a job that waits is due', async () => {
    const job = {
      did: alice,
      status: 'pending' as const,
      progress: '{}',
      plan: '{}',
      createdAt: now,
      updatedAt: now,
      result: null,
      error: null,
      writingAt: null,
      finishedAt: null,
    }
    const near = { id: 'near', site: siteOf('near').name, dueAt: now + 60_000, startedAt: now - 1 }
    const far = { id: 'far', site: site.name, dueAt: now + dayMs, startedAt: now + dayMs }
    await db()
      .insertInto('jobs')
      .values([
        { ...job, ...near },
        { ...job, ...far },
      ])
      .execute()
    expect(await pullBack()).toBe(2)
    const times = db().selectFrom('jobs').select(['dueAt', 'startedAt']).orderBy('id', 'desc')
    expect(await times.execute()).toEqual([
      { dueAt: now + 60_000, startedAt: now - 1 },
      { dueAt: now, startedAt: now },
    ])
  })
})
