import { describe, expect, test } from 'bun:test'
import { inTrace, newTrace } from '#observe/trace.ts'
import type { WorkKind } from '#store/database/schema.ts'
import { onEachStore } from '#tests/support/database/databases.ts'
import { alice, nameOf, siteOf, versionKeyOf } from '#tests/support/database/sample-rows.ts'
import { askedAt, workRows } from '#tests/support/database/work-rows.ts'
import { enqueueAccounts, enqueueSites, enqueueVersions } from './enqueue.ts'
import { takeDue } from './take-due.ts'
import { listUnread } from './unread.ts'
import {
  finishItem,
  parkedAt,
  putInLine,
  renewItem,
  retryItem,
  type WorkItem,
} from './work-items.ts'

const leaseMs = 100
const names = { site: nameOf('a'), version: versionKeyOf(1), account: '' } as const

onEachStore('store/queues/work-items', (db) => {
  describe.each<WorkKind>(['site', 'version', 'account'])('of kind %s', (kind) => {
    const ask = async (now: number): Promise<void> => {
      const context = askedAt(db(), now)
      if (kind === 'site') await enqueueSites(context, [siteOf('a')])
      else if (kind === 'version')
        await enqueueVersions(context, [{ did: alice, key: names.version }])
      else await enqueueAccounts(context, [alice], { isUrgent: false })
    }
    const take = (now: number) => takeDue(db(), { kind, now, leaseMs, limit: 10 })
    const takeOne = async (now: number): Promise<WorkItem> => {
      const [item, ...more] = await take(now)
      expect(more).toEqual([])
      if (item === undefined) throw new Error('nothing is due')
      return item
    }
    const rows = () => workRows(db(), kind)

    test('it has the last request that enqueued it, also when an event comes after it', async () => {
      const trace = newTrace()
      await inTrace(trace, () => ask(10))
      await ask(11)
      expect((await takeOne(11)).traceId).toBe(trace.id)
    })

    test('it is taken once, and deleted when finished', async () => {
      await ask(10)
      const item = await takeOne(10)
      expect(item).toEqual({
        kind,
        did: alice,
        site: names[kind],
        enqueuedAt: 10,
        attempts: 1,
        pds: null,
        traceId: null,
        token: expect.any(String) as string,
        lease: expect.any(String) as string,
      })
      expect(await take(10)).toEqual([])
      await finishItem(db(), item)
      expect(await rows()).toEqual([])
    })

    test('no other caller gets it until the lease is over', async () => {
      await ask(10)
      await take(10)
      expect(await take(109)).toEqual([])
      expect(await takeOne(110)).toMatchObject({ attempts: 2 })
    })

    test('a renewed lease lasts longer; an ended one is not renewed', async () => {
      await ask(10)
      await renewItem(db(), await takeOne(10), { now: 50, leaseMs })
      expect(await take(149)).toEqual([])
      const item = await takeOne(150)
      expect(item).toMatchObject({ attempts: 2 })
      await retryItem(db(), item, { at: 160, error: 'server away' })
      await renewItem(db(), item, { now: 160, leaseMs })
      expect(await takeOne(160)).toMatchObject({ attempts: 3 })
    })

    test('enqueued again while it is leased, it is due once more, but not concurrently', async () => {
      await ask(10)
      const first = await takeOne(10)
      await ask(20)
      expect(await take(20)).toEqual([])
      await finishItem(db(), first)
      const second = await takeOne(21)
      expect(second).toMatchObject({ attempts: 1, enqueuedAt: 10 })
      await finishItem(db(), second)
      expect(await rows()).toEqual([])
    })

    test('a failed item is due at its time, and its attempt counts', async () => {
      await ask(10)
      await retryItem(db(), await takeOne(10), { at: 50, error: 'server away\0' })
      expect(await take(49)).toEqual([])
      expect(await takeOne(50)).toMatchObject({ attempts: 2 })
      expect(await rows()).toMatchObject([{ lastError: 'server away\u{FFFD}' }])
    })

    test('a free attempt does not count', async () => {
      await ask(10)
      await retryItem(db(), await takeOne(10), { at: 50, error: 'disk full', isFree: true })
      expect(await takeOne(50)).toMatchObject({ attempts: 1 })
    })

    test('failed, and enqueued again meanwhile, it is due immediately', async () => {
      await ask(10)
      const item = await takeOne(10)
      await ask(20)
      expect(await retryItem(db(), item, { at: 5000, error: 'server away' })).toBe(false)
      expect(await take(21)).toHaveLength(1)
    })

    test('parked, it is listed and waits until it is enqueued, with new attempts', async () => {
      await ask(10)
      await retryItem(db(), await takeOne(10), { at: null, error: 'away', notBefore: 20 })
      expect(await take(parkedAt - 1)).toEqual([])
      const name = names[kind] || null
      const unread = { did: alice, name, attempts: 1, error: 'away', nextAttemptAt: null }
      expect(await listUnread(db(), 9)).toEqual([unread])
      await ask(30)
      expect(await listUnread(db(), 9)).toEqual([])
      expect(await takeOne(30)).toMatchObject({ attempts: 1 })
    })

    test('a worker that lost the lease leaves the item to the one that has it', async () => {
      await ask(10)
      const late = await takeOne(10)
      const other = await takeOne(200)
      await finishItem(db(), late)
      expect(await retryItem(db(), late, { at: 900, error: 'too late' })).toBe(false)
      await renewItem(db(), late, { now: 900, leaseMs })
      await putInLine(db(), [late], 'slow slow.test')
      expect(await rows()).toMatchObject([
        { leasedUntil: 300, line: '', attempts: 2, lastError: null, nextAttemptAt: 10 },
      ])
      expect(await take(299)).toEqual([])
      await finishItem(db(), other)
      await retryItem(db(), other, { at: 300, error: 'too late' })
      expect(await rows()).toEqual([])
    })
  })

  test('a failed site that is enqueued again is due no sooner than its failure allows, and its attempts count', async () => {
    const ask = (now: number) => enqueueSites(askedAt(db(), now), [siteOf('a')])
    const take = (now: number) => takeDue(db(), { kind: 'site', now, leaseMs, limit: 10 })
    await ask(10)
    const [item] = await take(10)
    await ask(20)
    await retryItem(db(), item as WorkItem, { at: 5000, error: 'server away', notBefore: 50 })
    expect(await take(49)).toEqual([])
    const [second] = await take(50)
    expect(second).toMatchObject({ attempts: 2 })
    await retryItem(db(), second as WorkItem, { at: 5000, error: 'server away', notBefore: 90 })
    await ask(60)
    expect(await take(89)).toEqual([])
    await ask(95)
    expect(await take(94)).toEqual([])
    expect(await take(95)).toMatchObject([{ attempts: 3 }])
  })

  test('a failed account that is enqueued again has new attempts', async () => {
    const ask = (now: number) => enqueueAccounts(askedAt(db(), now), [alice], { isUrgent: false })
    const take = (now: number) => takeDue(db(), { kind: 'account', now, leaseMs, limit: 10 })
    await ask(10)
    const [item] = await take(10)
    await retryItem(db(), item as WorkItem, { at: 5000, error: 'server away' })
    await ask(20)
    expect(await take(20)).toMatchObject([{ attempts: 1 }])
  })
})
