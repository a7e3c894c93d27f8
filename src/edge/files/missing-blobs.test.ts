import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { Log } from '#observe/log.ts'
import { type Database, openDatabase } from '#store/database/database.ts'
import { WakeUps } from '#store/database/wake-ups.ts'
import { memoryDatabase } from '#tests/support/database/databases.ts'
import { siteOf, versionKeyOf } from '#tests/support/database/sample-rows.ts'
import { eventually } from '#tests/support/eventually.ts'
import { MissingBlobs } from './missing-blobs.ts'

let database: Database
let now: number
let errors: string[]
let missing: MissingBlobs
let here: Set<string>
let stop: AbortController
beforeEach(async () => {
  database = await memoryDatabase()
  now = 1_000_000
  errors = []
  here = new Set()
  stop = new AbortController()
  missing = missingFrom(database)
})
afterEach(() => database[Symbol.asyncDispose]())

function missingFrom({ db }: Database): MissingBlobs {
  const error: Log['error'] = (message) => errors.push(message)
  const log: Log = { debug: () => {}, info: () => {}, warn: () => {}, error }
  const blobs = { has: async (hash: string) => here.has(hash) }
  const { signal } = stop
  return new MissingBlobs({
    db,
    blobs,
    wakeUps: new WakeUps(),
    log,
    now: () => now,
    elapsed: () => now,
    signal,
  })
}

/** The sites that were asked for since this was last called. */
async function asked(): Promise<string[]> {
  const rows = await database.db.deleteFrom('workItems').returning('site as name').execute()
  return rows.map(({ name }) => name).sort()
}
const ask = (...names: string[]) => Promise.all(names.map((name) => missing.ask(siteOf(name))))

test('a site is asked for once in ten seconds, each by itself', async () => {
  await ask('a', 'a', 'b')
  expect(await asked()).toEqual(['a', 'b'])
  now += 9_999
  await ask('a', 'c')
  expect(await asked()).toEqual(['c'])
  now += 1
  await ask('a', 'c')
  expect(await asked()).toEqual(['a'])
})

test('a version is asked for by its key, apart from its site', async () => {
  const source = { ...siteOf('a'), versionKey: versionKeyOf(1) }
  await Promise.all([missing.ask(source), missing.ask(source)])
  await ask('a')
  expect(await asked()).toEqual([versionKeyOf(1), 'a'])
})

test('a thousand sites are remembered at least, of more than two thousand the latest', async () => {
  const sites = (name: string, length: number) => Array.from({ length }, (_, i) => `${name}${i}`)
  await ask(...sites('site', 1000))
  expect(await asked()).toHaveLength(1000)
  await ask('site0', 'site999', 'another')
  expect(await asked()).toEqual(['another'])
  await ask(...sites('other', 2000))
  expect(await asked()).toHaveLength(2000)
  await ask('other1999', 'site0')
  expect(await asked()).toEqual(['site0'])
})

test('a database that is away is logged, and nobody fails', async () => {
  const away = openDatabase({})
  await away[Symbol.asyncDispose]()
  await missingFrom(away).ask(siteOf('a'))
  expect(errors).toEqual(['blob request failed'])
})

describe('who misses a blob', () => {
  test('waits until it is here, with all others', async () => {
    const arrivals = ['x', 'x', 'y'].map((hash) => missing.arrival(siteOf('a'), hash))
    await eventually(async () => expect(await asked()).toEqual(['a']))
    here.add('x').add('y')
    expect(await Promise.all(arrivals)).toEqual([true, true, true])
    expect(await asked()).toEqual([])
  })

  test('does not wait for longer than five seconds, nor again before it is asked for again', async () => {
    const arrival = missing.arrival(siteOf('a'), 'x')
    await eventually(async () => expect(await asked()).toEqual(['a']))
    now += 4_999
    const late = missing.arrival(siteOf('a'), 'y')
    now += 1
    expect([await arrival, await late]).toEqual([false, false])
    here.add('x')
    expect(await missing.arrival(siteOf('a'), 'x')).toBe(false)
    now += 5_000
    expect(await missing.arrival(siteOf('a'), 'x')).toBe(true)
  })

  test('waits no more when the service stops', async () => {
    const arrival = missing.arrival(siteOf('a'), 'x')
    stop.abort()
    expect(await arrival).toBe(false)
    expect(errors).toEqual([])
  })
})
