import { CamelCasePlugin, type Driver, Kysely, sql } from 'kysely'
import { type Database, type Db, openDatabase } from '#store/database/database.ts'
import { migrate } from '#store/database/migrate.ts'
import type { Schema } from '#store/database/schema.ts'
import { sqliteDialect } from '#store/database/sqlite/sqlite-dialect.ts'
import { emptying } from './empty-tables.ts'

/**
 * An empty database in memory with the tables that `migrate` makes; the caller disposes it, and nothing can use it
 * afterwards. Behind it is one of few connections, which keep their tables and their compiled statements: to make those
 * anew takes longer than most tests.
 */
export async function memoryDatabase(): Promise<Database> {
  const connection = idle.pop() ?? (await openConnection())
  const { dialect, driver, empty, db: own } = connection
  const version = await schemaVersion(own)
  const db = new Kysely<Schema>({
    dialect: { ...dialect, createDriver: () => lent(driver) },
    plugins: [new CamelCasePlugin()],
  })
  let isOver = false
  return {
    db,
    dialect: 'sqlite',
    load: dialect.load,
    async [Symbol.asyncDispose]() {
      if (isOver) return
      isOver = true
      await db.destroy()
      const { open, idle: unused, waiting } = dialect.load()
      // Somebody still has a transaction open: only closing the connection ends it.
      if (open !== unused || waiting > 0) return await own.destroy()
      if ((await schemaVersion(own)) !== version) return await own.destroy()
      await empty()
      if (idle.length < idleMax) idle.push(connection)
      else await own.destroy()
    },
  }
}

interface Connection {
  readonly db: Db
  readonly dialect: ReturnType<typeof sqliteDialect>
  readonly driver: Driver
  readonly empty: () => Promise<void>
}

const idle: Connection[] = []
const idleMax = 8

async function openConnection(): Promise<Connection> {
  schema ??= schemaOnce()
  const statements = await schema
  const dialect = sqliteDialect(':memory:')
  const driver = dialect.createDriver()
  const db = new Kysely<Schema>({ dialect, plugins: [new CamelCasePlugin()] })
  for (const statement of statements) await sql.raw(statement).execute(db)
  return { db, dialect, driver, empty: await emptying(db) }
}

/** It is open before, and stays open. */
const lent = (driver: Driver): Driver => ({
  init: async () => undefined,
  acquireConnection: () => driver.acquireConnection(),
  beginTransaction: (connection, settings) => driver.beginTransaction(connection, settings),
  commitTransaction: (connection) => driver.commitTransaction(connection),
  rollbackTransaction: (connection) => driver.rollbackTransaction(connection),
  releaseConnection: (connection) => driver.releaseConnection(connection),
  destroy: async () => undefined,
})

async function schemaVersion(db: Db): Promise<number> {
  const { rows } = await sql<{ schemaVersion: number }>`pragma schema_version`.execute(db)
  return rows[0]?.schemaVersion ?? 0
}

let schema: Promise<readonly string[]> | undefined

async function schemaOnce(): Promise<readonly string[]> {
  await using database = openDatabase({})
  await migrate(database)
  const { rows } = await sql<{ sql: string }>`select sql from sqlite_master
    where sql is not null and name not like 'sqlite_%' and name not like 'log_words_%' order by rowid`.execute(
    database.db,
  )
  return rows.map((row) => row.sql)
}
