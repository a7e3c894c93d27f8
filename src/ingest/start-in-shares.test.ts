import { expect, test } from 'bun:test'
import { Lanes } from '#concurrency/lanes.ts'
import { openDatabase } from '#store/database/database.ts'
import { migrate } from '#store/database/migrate.ts'
import { enqueueSites } from '#store/queues/enqueue.ts'
import { linesAtOnce } from '#store/queues/queued.ts'
import { takeDue } from '#store/queues/take-due.ts'
import { putInLine } from '#store/queues/work-items.ts'
import { accountOf, siteOf } from '#tests/support/sample-rows.ts'
import { askedAt } from '#tests/support/work-rows.ts'
import { StartInShares } from './start-in-shares.ts'

test('however many servers have a line, the last line has its turn', async () => {
  await using database = openDatabase({})
  const { db } = database
  await migrate(database)
  const count = linesAtOnce + 1
  const sites = Array.from({ length: count }, (_, n) => siteOf('blog', accountOf(n)))
  await enqueueSites(askedAt(db, 1), sites)
  const items = await takeDue(db, { kind: 'site', now: 1, leaseMs: 100, limit: count })
  await Promise.all(items.map((item, n) => putInLine(db, [item], `quick ${1e6 + n}.test`)))
  const clock = { now: 0 }
  const asked = new Set<string>()
  const shares = new StartInShares({
    db,
    elapsed: () => clock.now,
    take: async (_, line) => {
      if (line !== undefined) asked.add(line)
      return []
    },
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
