import { afterEach, beforeEach, expect, test } from 'bun:test'
import type { Log } from '#observe/log.ts'
import { type Database, openDatabase } from '#store/database.ts'
import { Hints } from '#store/hints.ts'
import { migrate } from '#store/migrate.ts'
import { siteOf } from '#tests/support/sample-rows.ts'
import { BlobRequests } from './blob-requests.ts'

let database: Database
let now: number
let errors: string[]
let requests: BlobRequests
beforeEach(async () => {
  database = openDatabase({})
  await migrate(database)
  now = 1_000_000
  errors = []
  requests = requestsTo(database)
})
afterEach(() => database[Symbol.asyncDispose]())

function requestsTo({ db }: Database): BlobRequests {
  const error: Log['error'] = (message) => errors.push(message)
  const log: Log = { debug: () => {}, info: () => {}, warn: () => {}, error }
  return new BlobRequests({ db, hints: new Hints(), log, now: () => now })
}

/** The sites that were asked for since this was last called. */
async function asked(): Promise<string[]> {
  const rows = await database.db.deleteFrom('ingestQueue').returning('name').execute()
  return rows.map(({ name }) => name).sort()
}
const ask = (...names: string[]) => Promise.all(names.map((name) => requests.ask(siteOf(name))))

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

test('a thousand sites are remembered, of more the latest', async () => {
  await ask(...Array.from({ length: 1000 }, (_, i) => `site${i}`))
  expect(await asked()).toHaveLength(1000)
  await ask('site0', 'site999', 'another')
  expect(await asked()).toEqual(['another'])
  await ask('site1', 'site999', 'site0')
  expect(await asked()).toEqual(['site0'])
})

test('a database that is away is logged, and nobody fails', async () => {
  const away = openDatabase({})
  await away[Symbol.asyncDispose]()
  await requestsTo(away).ask(siteOf('a'))
  expect(errors).toEqual(['cannot ask for a blob'])
})
