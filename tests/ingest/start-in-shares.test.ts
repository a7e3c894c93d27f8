import { expect, spyOn, test } from 'bun:test'
import { Lanes } from '#concurrency/lanes.ts'
import { partyOf, StartInShares } from '#ingest/start-in-shares.ts'
import type { SiteName } from '#site/site-name.ts'
import { enqueueSites } from '#store/queues/enqueue.ts'
import { linesAtOnce } from '#store/queues/queued.ts'
import { takeDue } from '#store/queues/take-due.ts'
import { putInLine, type WorkItem } from '#store/queues/work-items.ts'
import { memoryDatabase } from '#tests/support/database/databases.ts'
import { accountOf, siteOf } from '#tests/support/database/sample-rows.ts'
import { askedAt } from '#tests/support/database/work-rows.ts'

async function openQueue() {
  const database = await memoryDatabase()
  const { db } = database
  /** Puts a site into each of these lines. */
  async function fill(lines: readonly string[]): Promise<void> {
    const sites = lines.map((_, n) => siteOf('blog', accountOf(n)))
    await enqueueSites(askedAt(db, 1), sites)
    const items = await takeDue(db, { kind: 'site', now: 1, leaseMs: 100, limit: lines.length })
    await Promise.all(items.map((item, n) => putInLine(db, [item], lines[n] as string)))
  }
  return { db, fill, [Symbol.asyncDispose]: () => database[Symbol.asyncDispose]() }
}

test('however many servers have a line, the last line has its turn', async () => {
  await using queue = await openQueue()
  const count = linesAtOnce + 1
  await queue.fill(Array.from({ length: count }, (_, n) => `quick ${1e6 + n}.test`))
  const clock = { now: 0 }
  const asked = new Set<string>()
  const shares = new StartInShares({
    kind: 'site',
    db: queue.db,
    elapsed: () => clock.now,
    take: async (_, line) => {
      if (line !== undefined) asked.add(line)
      return []
    },
    isDue: async () => false,
    onPutBack: () => {},
  })
  const lanes = new Lanes(4)
  await shares.start(lanes, () => {})
  expect(asked.size).toBe(linesAtOnce)
  clock.now += 1_000
  await shares.start(lanes, () => {})
  expect(asked.size).toBe(count)
  asked.clear()
  clock.now += 1_000
  await shares.start(lanes, () => {})
  expect(asked.size).toBe(linesAtOnce)
})

const ofHost = (n: number, host: string): WorkItem => ({
  ...siteOf('blog', accountOf(n)),
  ...{ kind: 'site', site: 'blog' as SiteName, enqueuedAt: 1, attempts: 1, token: '', lease: '' },
  pds: `https://${host}`,
  traceId: null,
})

test('sites in a line and sites in none share the lanes, however many of either wait', async () => {
  await using queue = await openQueue()
  await queue.fill(['quick pds.honest.test'])
  let taken = 0
  const shares = new StartInShares({
    kind: 'site',
    db: queue.db,
    take: async (limit, line) =>
      Array.from({ length: limit }, () => {
        const n = taken++
        return ofHost(n, line === undefined ? `pds${n}.evil${n % 2}.test` : 'pds.honest.test')
      }),
    isDue: async () => true,
    onPutBack: () => {},
  })
  const lanes = new Lanes(32, {
    shares: { quick: { host: 16, domain: 24 }, slow: { host: 8, domain: 16 } },
  })
  const running: { end: () => void; done: Promise<void> }[] = []
  const started = { honest: 0, evil: 0 }
  const start = (item: WorkItem): void => {
    started[item.pds === 'https://pds.honest.test' ? 'honest' : 'evil']++
    const { promise, resolve } = Promise.withResolvers<void>()
    const work = { run: () => promise, onSlow: () => {}, party: partyOf(item) }
    running.push({ end: resolve, done: lanes.start(work) })
  }
  for (let pass = 0; pass < 60; pass++) {
    await shares.start(lanes, start)
    // Most passes follow a wake-up that frees no lane.
    await shares.start(lanes, start)
    for (const { end, done } of running.splice(0, 8)) {
      end()
      await done
    }
  }
  expect(started.honest).toBeGreaterThan(200)
  expect(started.evil).toBeGreaterThan(200)
})

/** Lanes of which `domains` hold all that their shares allow, and how often they were looked at. */
function openLanes(quickMax: number, domains: readonly string[]) {
  const share = { host: 1, domain: 1 }
  const lanes = new Lanes(quickMax, { shares: { quick: share, slow: share } })
  for (const domain of domains) {
    const party = { account: domain, host: `pds.${domain}` }
    void lanes.start({ run: () => new Promise(() => {}), onSlow: () => {}, party })
  }
  const spies = [spyOn(lanes, 'limitFor'), spyOn(lanes, 'usedShareOf')]
  return { lanes, looks: () => spies.flatMap(({ mock }) => mock.calls).length }
}

const ofEvilTest = Array.from({ length: 600 }, (_, n) => `quick pds${n}.evil.test`)
const ofManyDomains = Array.from({ length: 600 }, (_, n) => `quick pds.evil${n}.test`)

test.each([
  ['of a domain without a share', ofEvilTest, 2],
  ['of domains, while all lanes are in use,', ofManyDomains, 1],
])('a pass looks a few times at 600 lines %s', async (_, lines, quickMax) => {
  await using queue = await openQueue()
  await queue.fill([...lines, 'quick web.honest.test'])
  const { lanes, looks } = openLanes(quickMax, ['evil.test'])
  const asked: string[] = []
  const shares = new StartInShares({
    kind: 'site',
    db: queue.db,
    take: async (_, line) => {
      if (line !== undefined) asked.push(line)
      return []
    },
    isDue: async () => false,
    onPutBack: () => {},
  })
  await shares.start(lanes, () => {})
  expect(asked).toEqual(quickMax === 1 ? [] : ['quick web.honest.test'])
  expect(looks()).toBeLessThanOrEqual(4)
})

test('however many lines of a server without a share come before it, a due line is found', async () => {
  await using queue = await openQueue()
  await queue.fill([...ofEvilTest, 'quick web.honest.test'])
  const { lanes, looks } = openLanes(1, ['evil.test'])
  const asked: string[] = []
  const shares = new StartInShares({
    kind: 'site',
    db: queue.db,
    take: async () => [],
    isDue: async (line) => asked.push(line) > 0,
    onPutBack: () => {},
  })
  await shares.start(lanes, () => {})
  expect(await shares.isQuickLineDue(lanes)).toBe(true)
  expect(asked).toEqual(['quick web.honest.test'])
  expect(looks()).toBeLessThanOrEqual(4)
})

test('of many lines that are not due, each call asks others', async () => {
  await using queue = await openQueue()
  await queue.fill(ofManyDomains)
  const { lanes } = openLanes(1, ['other.test'])
  const asked: string[] = []
  const shares = new StartInShares({
    kind: 'site',
    db: queue.db,
    take: async () => [],
    isDue: async (line) => asked.push(line) < 0,
    onPutBack: () => {},
  })
  await shares.start(lanes, () => {})
  const counts: number[] = []
  for (let call = 0; call < 3; call++) {
    await shares.isQuickLineDue(lanes)
    counts.push(asked.length)
  }
  expect(counts[0]).toBeLessThan(counts[1] as number)
  expect(asked.toSorted()).toEqual(ofManyDomains.toSorted())
})
