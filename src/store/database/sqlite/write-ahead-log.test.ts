import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Kysely, sql } from 'kysely'
import { DatabaseUnavailableError } from '#store/database/database-unavailable.ts'
import { eventually } from '#tests/support/eventually.ts'
import { sqliteDialect } from './sqlite-dialect.ts'
import { type WriteAheadLog, writeAheadLog } from './write-ahead-log.ts'

let dir: string
let file: string
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'write-ahead-log-'))
  file = join(dir, 'store.sqlite')
})
afterEach(() => rm(dir, { recursive: true }))

const open = (log: WriteAheadLog) =>
  new Kysely<{ t: { a: number } }>({ dialect: sqliteDialect(file, log) })

/** A disk that is done when it is told so. */
function slowDisk() {
  const asked: PromiseWithResolvers<void>[] = []
  const log: WriteAheadLog = {
    async sync() {
      const one = Promise.withResolvers<void>()
      asked.push(one)
      await one.promise
    },
    close: async () => {},
  }
  return { asked, log }
}

test('a commit resolves when it is on the disk; others use the database meanwhile', async () => {
  const { asked, log } = slowDisk()
  const db = open(log)
  const told: string[] = []
  const creating = sql`create table t (a)`.execute(db).then(() => told.push('created'))
  const inserting = db
    .transaction()
    .execute((transaction) => transaction.insertInto('t').values({ a: 1 }).execute())
    .then(() => told.push('inserted'))
  while (asked.length < 2)
    await db
      .selectFrom('t')
      .selectAll()
      .execute()
      .catch(() => [])
  expect(await db.selectFrom('t').selectAll().execute()).toEqual([{ a: 1 }])
  expect(asked).toHaveLength(2)
  expect(told).toEqual([])
  asked[0]?.resolve()
  await creating
  expect(told).toEqual(['created'])
  asked[1]?.resolve()
  await inserting
  await db.destroy()
})

describe('only changes wait for the disk, alone and in a transaction:', () => {
  type Work = (db: Kysely<{ t: { a: number } }>) => Promise<unknown>
  const moving = (from: number, to: number): Work => {
    return (db) => db.updateTable('t').set({ a: to }).where('a', '=', from).returningAll().execute()
  }
  const reading: Work = (db) => db.selectFrom('t').selectAll().execute()
  const adding =
    (a: number): Work =>
    (db) =>
      db
        .insertInto('t')
        .values({ a })
        .onConflict((conflict) => conflict.doNothing())
        .execute()

  const works: [string, Work, boolean][] = [
    ['a row that is there is not added', adding(1), false],
    ['none is changed', moving(7, 8), false],
    ['one is changed to what it was', moving(1, 1), true],
    ['none is deleted', (db) => db.deleteFrom('t').where('a', '=', 7).execute(), false],
    ['all are deleted', (db) => db.deleteFrom('t').execute(), true],
    ['all are read', reading, false],
    [
      'one is added before all are read',
      async (db) => [await adding(2)(db), await reading(db)],
      true,
    ],
    ['what nobody knows is done', (db) => sql`update t set a = 1 where a = 7`.execute(db), true],
  ]
  test.each(works)('%s', async (_, work, isDurable) => {
    for (const inTransaction of [false, true]) {
      let syncs = 0
      const db = open({ sync: async () => void syncs++, close: async () => {} })
      await sql`drop table if exists t`.execute(db)
      await sql`create table t (a unique)`.execute(db)
      for (let times = 0; times < 2; times++) await adding(1)(db)
      syncs = 0
      await (inTransaction ? db.transaction().execute(work) : work(db))
      expect(syncs > 0).toBe(isDurable)
      await db.destroy()
    }
  })
})

test('a disk failure rejects only the commits that it affects', async () => {
  const { asked, log } = slowDisk()
  const db = open(log)
  const creating = sql`create table t (a)`.execute(db)
  while (asked.length === 0)
    await db
      .selectFrom('t')
      .selectAll()
      .execute()
      .catch(() => [])
  asked[0]?.reject(new DatabaseUnavailableError('sqlite', new Error('EIO')))
  expect(await creating.catch((error) => error)).toBeInstanceOf(DatabaseUnavailableError)
  expect(await db.selectFrom('t').selectAll().execute()).toEqual([])
  await db.destroy()
})

describe('a write that finds nothing to change', () => {
  const add = (db: Kysely<{ t: { a: number } }>) =>
    db
      .insertInto('t')
      .values({ a: 1 })
      .onConflict((conflict) => conflict.doNothing())
      .execute()

  test('because of a commit that is not on the disk yet waits for that commit', async () => {
    const { asked, log } = slowDisk()
    const db = open(log)
    const creating = sql`create table t (a unique)`.execute(db)
    const told: string[] = []
    const first = add(db).then(() => told.push('first'))
    const second = add(db).then(() => told.push('second'))
    while (asked.length < 3)
      await db
        .selectFrom('t')
        .execute()
        .catch(() => [])
    expect(told).toEqual([])
    for (const one of asked) one.resolve()
    await Promise.all([creating, first, second])
    await add(db)
    expect(asked).toHaveLength(3)
    await db.destroy()
  })
  test('because of a commit of another thread or process waits, once', async () => {
    let syncs = 0
    const sync = async (): Promise<void> => void syncs++
    const [db, other] = [open({ sync, close: async () => {} }), open(slowDisk().log)]
    await sql`create table t (a unique)`.execute(db)
    await db.deleteFrom('t').execute()
    void add(other)
    const rows = () => db.selectFrom('t').selectAll().execute()
    await eventually(async () => expect(await rows()).toHaveLength(1))
    syncs = 0
    for (let times = 0; times < 2; times++) await add(db)
    expect(syncs).toBe(1)
    await Promise.all([db.destroy(), other.destroy()])
  })
  test('because of a commit that failed on the disk waits until a sync succeeds', async () => {
    let fails = false
    const sync = async (): Promise<void> => {
      if (fails) throw new DatabaseUnavailableError('sqlite', new Error('EIO'))
    }
    const db = open({ sync, close: async () => {} })
    await sql`create table t (a unique)`.execute(db)
    fails = true
    await expect(add(db)).rejects.toThrow(DatabaseUnavailableError)
    await expect(add(db)).rejects.toThrow(DatabaseUnavailableError)
    fails = false
    await add(db)
    fails = true
    await add(db)
    await db.destroy()
  })
})

test('a failed sync is a typed error, a missing log is not', async () => {
  const log = writeAheadLog(file)
  await log.sync()
  await symlink('/dev/null', `${file}-wal`)
  await expect(log.sync()).rejects.toThrow(DatabaseUnavailableError)
  await log.close()
})

test('calls during a sync share the next one', async () => {
  const log = writeAheadLog(file)
  await Bun.write(`${file}-wal`, 'x')
  const first = log.sync()
  await Promise.resolve()
  const others = [log.sync(), log.sync(), log.sync()]
  expect(new Set([first, ...others]).size).toBe(2)
  await Promise.all([first, ...others])
  await log.close()
})
