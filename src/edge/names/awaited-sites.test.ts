import { afterEach, beforeEach, expect, test } from 'bun:test'
import { siteLabel } from '#site/site-address.ts'
import type { Database } from '#store/database/database.ts'
import { enqueueSites } from '#store/queues/enqueue.ts'
import { memoryDatabase } from '#tests/support/database/databases.ts'
import { bob, siteOf } from '#tests/support/database/sample-rows.ts'
import { askedAt, clearWork } from '#tests/support/database/work-rows.ts'
import { AwaitedSites } from './awaited-sites.ts'

let database: Database
let now: number
let awaited: AwaitedSites
beforeEach(async () => {
  database = await memoryDatabase()
  now = 1_000_000
  awaited = new AwaitedSites({ db: database.db, now: () => now })
})
afterEach(() => database[Symbol.asyncDispose]())

const enqueue = (...names: string[]) =>
  enqueueSites(
    askedAt(database.db, now),
    names.map((name) => siteOf(name)),
  )
const isAwaited = (name: string) => awaited.has(siteLabel(siteOf(name)))

test('a site is awaited while ingest was asked for it, as of the last second', async () => {
  await enqueue('a')
  expect([await isAwaited('a'), await isAwaited('b')]).toEqual([true, false])
  await enqueue('b')
  now += 999
  expect(await isAwaited('b')).toBe(false)
  now += 1
  expect(await isAwaited('b')).toBe(true)
  await clearWork(database.db, 'site')
  now += 1000
  expect(await isAwaited('a')).toBe(false)
})

test('or of now, when that is asked for', async () => {
  expect(await isAwaited('a')).toBe(false)
  await enqueue('a')
  expect(await isAwaited('a')).toBe(false)
  awaited.invalidate()
  expect(await isAwaited('a')).toBe(true)
})

test('of more than a thousand the latest are known', async () => {
  // Of somebody else: so many of one account may wait.
  const old = siteOf('old', bob)
  await enqueueSites(askedAt(database.db, now), [old])
  now += 1
  await enqueue(...Array.from({ length: 1000 }, (_, i) => `site-${i}`))
  expect([await isAwaited('site-999'), await awaited.has(siteLabel(old))]).toEqual([true, false])
})
