import { type SQLQueryBindings, Database as SqliteFile } from 'bun:sqlite'
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteDialect,
} from 'kysely'
import { codeOf, DatabaseUnavailableError } from './database-unavailable.ts'

/** How long a statement waits for another process that writes to the same file. */
const lockedMsMax = 10_000

/**
 * Kysely on `bun:sqlite`: one connection, opened by the first query, and transactions that write
 * from their start.
 */
export function sqliteDialect(file: string): Dialect {
  // The parts that do not touch a connection are Kysely's own; it wants a better-sqlite3 only for
  // the others.
  const dialect = new SqliteDialect({ database: () => Promise.reject(new Error('not used')) })
  return {
    createAdapter: () => new TransactionalDdlAdapter(),
    createDriver: () => new BunSqliteDriver(file),
    createIntrospector: (db) => dialect.createIntrospector(db),
    createQueryCompiler: () => dialect.createQueryCompiler(),
  }
}

function openFile(file: string): SqliteFile {
  try {
    const sqlite = new SqliteFile(file, { create: true, strict: true })
    sqlite.run('pragma busy_timeout = 10000')
    sqlite.run('pragma journal_mode = wal')
    sqlite.run('pragma synchronous = full')
    sqlite.run('pragma foreign_keys = on')
    // From here on we wait in executeQuery instead: SQLite's own waiting would stop the event loop.
    sqlite.run('pragma busy_timeout = 0')
    return sqlite
  } catch (cause) {
    throw new DatabaseUnavailableError('sqlite', cause)
  }
}

/**
 * SQLite does roll back a `create table`; Kysely's migrations then run in a transaction, which is
 * their lock.
 */
class TransactionalDdlAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true
  }
}

class BunSqliteDriver implements Driver {
  readonly #file: string
  readonly #waiting: (() => void)[] = []
  #connection: BunSqliteConnection | undefined
  #isTaken = false

  constructor(file: string) {
    this.#file = file
  }

  async init(): Promise<void> {
    this.#connection = new BunSqliteConnection(openFile(this.#file))
  }

  async acquireConnection(): Promise<BunSqliteConnection> {
    if (this.#connection === undefined) throw new Error('the database is not open')
    if (this.#isTaken) await new Promise<void>((resolve) => this.#waiting.push(resolve))
    this.#isTaken = true
    return this.#connection
  }

  async releaseConnection(): Promise<void> {
    const next = this.#waiting.shift()
    if (next) next()
    else this.#isTaken = false
  }

  async beginTransaction(connection: DatabaseConnection): Promise<void> {
    // Immediate: a transaction that reads first and writes later would fail when another process
    // wrote in between.
    await connection.executeQuery(CompiledQuery.raw('begin immediate'))
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('commit'))
  }

  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    // SQLite rolls back by itself when the disk is full; `rollback` would then hide the real error.
    if (this.#connection?.isInTransaction)
      await connection.executeQuery(CompiledQuery.raw('rollback'))
  }

  async destroy(): Promise<void> {
    this.#connection?.close()
  }
}

class BunSqliteConnection implements DatabaseConnection {
  readonly #sqlite: SqliteFile

  constructor(sqlite: SqliteFile) {
    this.#sqlite = sqlite
  }

  get isInTransaction(): boolean {
    return this.#sqlite.inTransaction
  }

  close(): void {
    this.#sqlite.close()
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    const deadline = performance.now() + lockedMsMax
    for (let waitMs = 1; ; waitMs = Math.min(waitMs * 2, 50)) {
      try {
        return this.#run<Row>(query)
      } catch (error) {
        const isLocked = codeOf(error)?.startsWith('SQLITE_BUSY') ?? false
        if (!isLocked || performance.now() > deadline) throw typedError(error)
        await Bun.sleep(waitMs)
      }
    }
  }

  #run<Row>({ sql, parameters }: CompiledQuery): QueryResult<Row> {
    const statement = this.#sqlite.query<Row, SQLQueryBindings[]>(sql)
    const bindings = parameters as SQLQueryBindings[]
    if (statement.columnNames.length > 0) return { rows: statement.all(...bindings) }
    return { rows: [], numAffectedRows: BigInt(statement.run(...bindings).changes) }
  }

  // biome-ignore lint/correctness/useYield: the interface demands it, no query here streams
  async *streamQuery<Row>(): AsyncIterableIterator<QueryResult<Row>> {
    throw new Error('streaming is not supported')
  }
}

/**
 * The results of SQLite that speak of the disk or of other processes, not of the statement:
 * https://sqlite.org/rescode.html
 */
const unavailableCodes =
  /^SQLITE_(BUSY|LOCKED|FULL|IOERR|CANTOPEN|READONLY|CORRUPT|NOTADB|NOMEM|PERM|PROTOCOL)/

function typedError(error: unknown): unknown {
  return unavailableCodes.test(codeOf(error) ?? '')
    ? new DatabaseUnavailableError('sqlite', error)
    : error
}
