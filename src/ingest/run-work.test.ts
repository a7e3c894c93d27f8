import { expect, test } from 'bun:test'
import { currentTrace, inTrace, newTrace } from '#observe/trace.ts'
import { enqueueSites } from '#store/queues/enqueue.ts'
import { nextDueAt, takeDue } from '#store/queues/take-due.ts'
import type { WorkItem } from '#store/queues/work-items.ts'
import { type LoggedLine, recordingLog } from '#tests/support/api.ts'
import { memoryDatabase } from '#tests/support/database/databases.ts'
import { siteOf } from '#tests/support/database/sample-rows.ts'
import { askedAt, workRows } from '#tests/support/database/work-rows.ts'
import { eventually } from '#tests/support/eventually.ts'
import { leaseMs, retriesMs, runWork, type WorkHandler, workOn } from './run-work.ts'

const facts: [what: string, isReplaced: boolean, level: string][] = [
  ['what failed', false, 'warn'],
  ['what was replaced while it was read, and failed,', true, 'debug'],
]
test.each(facts)('%s is logged: replaced %p, %s', async (_, isReplaced, level) => {
  await using database = await memoryDatabase()
  const { db } = database
  const ask = () => enqueueSites(askedAt(db, 0), [siteOf('blog')])
  await ask()
  const [item] = await takeDue(db, { kind: 'site', now: 0, leaseMs: 1, limit: 1 })
  const lines: LoggedLine[] = []
  const error = new Error('gone')
  const work = async () => {
    if (isReplaced) await ask()
    throw error
  }
  const { signal } = new AbortController()
  const context = { ...askedAt(db, 0), log: recordingLog(lines), signal }
  expect(await workOn(item as WorkItem, work, context)).toBe(false)
  const fields = { did: siteOf('blog').did, site: 'blog', attempts: 1, isLast: false, error }
  expect(lines).toEqual([{ level, message: 'ingest failed', fields }])
})

test('a site that is preempted waits for 15 s, however often: it has not failed', async () => {
  await using database = await memoryDatabase()
  const { db } = database
  let now = 1_000
  const lines: LoggedLine[] = []
  const stop = new AbortController()
  const asked = { ...askedAt(db, now), now: () => now }
  const context = { ...asked, log: recordingLog(lines), signal: stop.signal }
  await enqueueSites(context, [siteOf('blog')])
  const handler: WorkHandler = {
    kind: 'site',
    atOnce: 1,
    async startDue(lanes, start) {
      const items = await takeDue(db, { kind: 'site', now, leaseMs, limit: lanes.capacity })
      for (const item of items) start(item)
      return false
    },
    async work(_, signal, lane) {
      lane.preempt()
      signal.throwIfAborted()
    },
    release: () => {},
    isAnyDue: async () => false,
    nextAt: () => nextDueAt(db, { kind: 'site', priority: 0, now }),
  }
  const running = runWork([handler], context)
  for (let times = 0; times <= retriesMs.length; times++) {
    const again = { attempts: 0, leasedUntil: 0, nextAttemptAt: now + 15_000 }
    await eventually(async () => expect(await workRows(db, 'site')).toMatchObject([again]))
    await enqueueSites(context, [siteOf('blog')])
    // Nor does an event bring it back earlier.
    expect(await workRows(db, 'site')).toMatchObject([again])
    now += 15_000
    context.wakeUps.notify('site')
  }
  stop.abort()
  await running
  expect(new Set(lines.map(({ message }) => message))).toEqual(new Set(['work item preempted']))
})

test('work belongs to the request that enqueued it', async () => {
  await using database = await memoryDatabase()
  const { db } = database
  const stop = new AbortController()
  const context = { ...askedAt(db, 0), log: recordingLog(), signal: stop.signal }
  const trace = newTrace()
  await inTrace(trace, () => enqueueSites(context, [siteOf('blog')]))
  const worked = Promise.withResolvers<string | undefined>()
  const handler: WorkHandler = {
    kind: 'site',
    atOnce: 1,
    async startDue(_, start) {
      for (const item of await takeDue(db, { kind: 'site', now: 0, leaseMs, limit: 1 })) start(item)
      return false
    },
    work: async () => worked.resolve(currentTrace()?.id),
    release: () => {},
    isAnyDue: async () => false,
  }
  const running = runWork([handler], context)
  expect(await worked.promise).toBe(trace.id)
  stop.abort()
  await running
})

test('other processes need no wake-up for work that has begun here; for what is left they do', async () => {
  await using database = await memoryDatabase()
  const { db } = database
  const stop = new AbortController()
  const context = { ...askedAt(db, 0), log: recordingLog(), signal: stop.signal }
  const told: string[] = []
  context.wakeUps.forward(
    ['site'],
    () => told.push('woken'),
    () => told.push('settled'),
  )
  const passes: boolean[] = [true, false, true]
  const handler: WorkHandler = {
    kind: 'site',
    atOnce: 1,
    async startDue() {
      const isAllStarted = passes.shift() ?? false
      told.push(isAllStarted ? 'all started' : 'some left')
      // What is enqueued during a pass is for the next one.
      if (passes.length === 0 && isAllStarted) context.wakeUps.notify('site')
      return isAllStarted
    },
    work: async () => {},
    release: () => {},
    isAnyDue: async () => false,
  }
  const running = runWork([handler], context)
  for (const length of [2, 4]) {
    await eventually(async () => expect(told).toHaveLength(length))
    if (length === 2) context.wakeUps.notify('site')
  }
  expect(told).toEqual(['all started', 'settled', 'woken', 'some left'])
  context.wakeUps.notify('site')
  await eventually(async () => expect(told.length).toBeGreaterThan(7))
  expect(told.slice(4, 8)).toEqual(['woken', 'all started', 'woken', 'some left'])
  stop.abort()
  await running
})
