import { expect, test } from 'bun:test'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { findAccount, upsertAccount } from '#store/accounts/accounts.ts'
import { appendChange, readChanges } from '#store/database/changes.ts'
import { type Database, openDatabase } from '#store/database/database.ts'
import { DatabaseUnavailableError } from '#store/database/database-unavailable.ts'
import { migrate } from '#store/database/migrate.ts'
import { sqliteWaitingMax } from '#store/database/sqlite/sqlite-driver.ts'
import { inTransaction } from '#store/database/transaction.ts'
import { onEachDatabase } from '#tests/support/database/databases.ts'
import { alice, bob, siteOf } from '#tests/support/database/sample-rows.ts'
import { available } from '../support/require.ts'
import { probeTinyDisk, tinyDisk } from '../support/tiny-disk.ts'

// Databases that are not there, go away, or are full; and what SQLite is opened with.

await onEachDatabase('a connection', (make, dialect) => {
  if (dialect === 'sqlite') return // it has none

  test('lost in a transaction is a typed error, and the pool recovers', async () => {
    await using own = await make()
    await using database = openDatabase(own.options)
    const broken = inTransaction(database.db, async (transaction) => {
      await sql`select pg_terminate_backend(pg_backend_pid())`.execute(transaction)
    })
    await expect(broken).rejects.toThrow(DatabaseUnavailableError)
    expect((await sql`select 1 as one`.execute(database.db)).rows).toEqual([{ one: 1 }])
  })

  test('closed by the server while idle does not end the process', async () => {
    await using own = await make()
    await using database = openDatabase({ ...own.options, connectionsMax: 1 })
    await using other = openDatabase(own.options)
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(database.db)
    await sql`select pg_terminate_backend(${rows[0]?.pid})`.execute(other.db)
    const answers = () => sql`select 1`.execute(database.db).then(() => true)
    expect(await answers().catch(answers)).toBe(true)
  })
})

test('a PostgreSQL that does not answer is a typed error of the first query', async () => {
  await using database = openDatabase({ url: 'postgres://nobody@127.0.0.1:1/none' })
  const error = await rejectionOf(findAccount(database.db, alice))
  expect(error).toBeInstanceOf(DatabaseUnavailableError)
  expect(error).toMatchObject({ dialect: 'postgres', code: 'ECONNREFUSED' })
})

test('a SQLite file that cannot be opened is a typed error, until it can', async () => {
  await using dir = await tempDir()
  const folder = join(dir.path, 'later')
  await using database = openDatabase({ file: join(folder, 'store.sqlite') })
  await expect(migrate(database)).rejects.toMatchObject({ code: 'SQLITE_CANTOPEN' })
  await mkdir(folder)
  await migrate(database)
  expect(await findAccount(database.db, alice)).toBeNull()
})

test('a file that is no SQLite database is a typed error', async () => {
  await using dir = await tempDir()
  const file = join(dir.path, 'store.sqlite')
  await writeFile(file, 'not a database, but long enough to look like one'.repeat(100))
  await using database = openDatabase({ file })
  await expect(migrate(database)).rejects.toThrow(DatabaseUnavailableError)
})

test('SQLite has a write-ahead log without its own syncs, and foreign keys', async () => {
  await using dir = await tempDir()
  await using database = openDatabase({ file: join(dir.path, 'store.sqlite') })
  expect(await pragma(database, 'journal_mode')).toBe('wal')
  expect(await pragma(database, 'synchronous')).toBe(1)
  expect(await pragma(database, 'foreign_keys')).toBe(1)
})

test('one statement too many that waits for SQLite is a typed error immediately', async () => {
  await using database = openDatabase({})
  await migrate(database)
  const { db } = database
  const [begun, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const first = inTransaction(db, () => {
    begun.resolve()
    return end.promise
  })
  await begun.promise
  const waiting = Array.from({ length: sqliteWaitingMax }, () => findAccount(db, alice))
  await expect(findAccount(db, alice)).rejects.toThrow(DatabaseUnavailableError)
  end.resolve()
  await first
  expect(new Set(await Promise.all(waiting))).toEqual(new Set([null]))
})

test('without url and file the database is in memory', async () => {
  await using database = openDatabase({})
  await migrate(database)
  expect(await findAccount(database.db, alice)).toBeNull()
})

if (await available('store/database/database on a full disk', probeTinyDisk)) {
  test('a full disk is a typed error; reads work, and writes do once there is space', async () => {
    await using disk = await tinyDisk()
    await using database = openDatabase({ file: join(disk.path, 'store.sqlite') })
    await migrate(database)
    await upsertAccount(database.db, { did: alice }, 1)
    const ballast = join(disk.path, 'ballast')
    await writeFile(ballast, new Uint8Array(4 * 1024 * 1024)).catch(() => {})

    const writing = inTransaction(database.db, async (transaction) => {
      for (let n = 0; n < 500; n++) await appendChange(transaction, siteOf(`site-${n}`), n)
    })
    expect(await rejectionOf(writing)).toMatchObject({
      name: 'DatabaseUnavailableError',
      code: 'SQLITE_FULL',
    })
    expect(await findAccount(database.db, alice)).not.toBeNull()
    await rm(ballast)
    await upsertAccount(database.db, { did: bob }, 2)
    expect(await readChanges(database.db, 0)).toEqual([])
  })
}

async function pragma(database: Database, name: string): Promise<unknown> {
  const { rows } = await sql
    .raw<Record<string, unknown>>(`pragma ${name}`)
    .execute(database.db.withoutPlugins())
  return rows[0]?.[name]
}

async function rejectionOf(promise: Promise<unknown>): Promise<unknown> {
  return await promise.then(
    () => undefined,
    (error: unknown) => error,
  )
}

async function tempDir(): Promise<{ path: string } & AsyncDisposable> {
  const path = await mkdtemp(join(tmpdir(), 'store-'))
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true }) }
}
