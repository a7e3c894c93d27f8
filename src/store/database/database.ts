import { CamelCasePlugin, type Dialect, Kysely } from 'kysely'
import { postgresDialect } from './postgres-dialect.ts'
import type { Schema } from './schema.ts'
import { sqliteDialect } from './sqlite/sqlite-dialect.ts'

/**
 * The database or one of its transactions. On SQLite a transaction holds the only connection: inside it, use the
 * transaction and never the database, which would wait forever.
 */
export type Db = Kysely<Schema>

export interface Database extends AsyncDisposable {
  readonly db: Db
  readonly dialect: 'sqlite' | 'postgres'
  readonly load: () => DatabaseLoad
}

/** Connections of this process to the database. */
export interface DatabaseLoad {
  readonly open: number
  /** Of the open ones, those that nobody uses. */
  readonly idle: number
  /** Statements and transactions that wait for a connection. */
  readonly waiting: number
}

interface DatabaseOptions {
  /** `postgres://…`; wins over `file`. */
  readonly url?: string | undefined
  /** The SQLite file, created when missing; its folder must exist. Default: a database in memory. */
  readonly file?: string | undefined
  /** Of PostgreSQL. */
  readonly connectionsMax?: number | undefined
  /** PostgreSQL: a query that takes longer fails and its connection is replaced. Not for migrations or other long work. */
  readonly answerMsMax?: number | undefined
}

/**
 * The first query connects; `migrate` before any other use. Queries throw DatabaseUnavailableError when trying later may
 * help.
 */
export function openDatabase(options: DatabaseOptions): Database {
  const { url, file, connectionsMax = 10, answerMsMax } = options
  return url === undefined
    ? databaseOf('sqlite', sqliteDialect(file ?? ':memory:'))
    : databaseOf('postgres', postgresDialect({ url, connectionsMax, answerMsMax }))
}

function databaseOf(
  dialect: Database['dialect'],
  kyselyDialect: Dialect & Pick<Database, 'load'>,
): Database {
  const db = new Kysely<Schema>({ dialect: kyselyDialect, plugins: [new CamelCasePlugin()] })
  const { load } = kyselyDialect
  return { db, dialect, load, [Symbol.asyncDispose]: () => db.destroy() }
}
