import { afterEach, beforeEach, expect, test } from 'bun:test'
import { readdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type OwnDatabase, sqliteFile } from '#tests/support/database/databases.ts'
import { clearLog } from './clear-log.ts'
import { type Database, openDatabase } from './database.ts'
import { migrate } from './migrate.ts'

const mark = 'what nobody may find'
const { signal } = new AbortController()

let own: OwnDatabase
let database: Database
beforeEach(async () => {
  own = await sqliteFile()
  database = openDatabase(own.options)
  await migrate(database)
})
afterEach(async () => {
  await database[Symbol.asyncDispose]()
  await own[Symbol.asyncDispose]()
})

async function filesWithMark(): Promise<string[]> {
  const dir = dirname(own.options.file ?? '')
  const found = await Promise.all(
    (await readdir(dir)).map(async (name) =>
      (await readFile(join(dir, name))).includes(mark) ? [name] : [],
    ),
  )
  return found.flat()
}

const fill = (host: string) => {
  const row = { kind: 'host', label: mark.repeat(1000), host, createdAt: 1 } as const
  return database.db.insertInto('changes').values(row).execute()
}
const empty = (host: string) => database.db.deleteFrom('changes').where('host', '=', host).execute()

test('deleted rows are neither in the log nor in the file afterwards', async () => {
  await fill('gone')
  expect(await clearLog(database.db, signal)).toBe(true)
  expect(await filesWithMark()).toEqual(['store.sqlite'])
  await empty('gone')
  await fill('again')
  await empty('again')
  expect(await filesWithMark()).not.toEqual([])
  expect(await clearLog(database.db, signal)).toBe(true)
  expect(await filesWithMark()).toEqual([])
})
