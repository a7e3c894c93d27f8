import { type Dialect, SqliteAdapter, SqliteDialect } from 'kysely'
import { BunSqliteDriver } from './sqlite-driver.ts'
import { type WriteAheadLog, writeAheadLog } from './write-ahead-log.ts'

/** Kysely on `bun:sqlite`: one connection, opened by the first query; transactions lock for writing when they begin. */
export function sqliteDialect(file: string, log: WriteAheadLog = writeAheadLog(file)) {
  const driver = new BunSqliteDriver(file, log)
  // Kysely's own parts, except those that use a connection, for which it needs better-sqlite3.
  const dialect = new SqliteDialect({ database: () => Promise.reject(new Error('not used')) })
  const kyselyDialect: Dialect = {
    createAdapter: () => new TransactionalDdlAdapter(),
    createDriver: () => driver,
    createIntrospector: (db) => dialect.createIntrospector(db),
    createQueryCompiler: () => dialect.createQueryCompiler(),
  }
  return { ...kyselyDialect, load: () => driver.load() }
}

/** SQLite can roll back a `create table`: Kysely's migrations then run in a transaction, which is their lock. */
class TransactionalDdlAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true
  }
}
