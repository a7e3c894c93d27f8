import { type SQLQueryBindings, Database as SqliteFile, type Statement } from 'bun:sqlite'
import {
  CompiledQuery,
  type DatabaseConnection,
  type QueryResult,
  type RootOperationNode,
} from 'kysely'
import { backoff } from '#concurrency/backoff.ts'
import { yieldEventLoop } from '#concurrency/yield-event-loop.ts'
import { codeOf } from '#observe/code-of.ts'
import { DatabaseUnavailableError } from '#store/database/database-unavailable.ts'

/** How long a statement waits for another thread or process that writes to the same file. */
const lockedMsMax = 10_000
/** Short: a connection that retries less often than others write finds the file locked each time. */
const lockedPauseMs = backoff({ min: 1, max: 4, jitter: 0 })
/** How long consecutive statements may run before the connection yields to the event loop. */
const consecutiveMsMax = 1
/** Compiled statements that are cached: every site needs more than the 20 that Bun caches. */
const statementsMax = 300

/** Statements that write no rows. */
export const begin = CompiledQuery.raw('begin immediate')
export const commit = CompiledQuery.raw('commit')
export const rollback = CompiledQuery.raw('rollback')
const silent = new Set([begin.sql, commit.sql, rollback.sql])

/** `no-change`: a write that found nothing to change. */
export type Writes = 'changes' | 'no-change'

interface KeptStatement {
  readonly statement: Statement<unknown, SQLQueryBindings[]>
  /** Whether it answers with rows: it reads, or returns what it writes. */
  readonly hasRows: boolean
}

/** Kysely's only connection to a file. */
export class BunSqliteConnection implements DatabaseConnection {
  readonly #sqlite: SqliteFile
  readonly #statements = new Map<string, KeptStatement>()
  #writes: Writes | null = null
  /** When the first statement of this turn of the event loop began. */
  #turnBegan: number | null = null

  /** Throws DatabaseUnavailableError, as every query does when the disk or another process is the reason. */
  constructor(file: string) {
    this.#sqlite = openFile(file)
  }

  get isInTransaction(): boolean {
    return this.#sqlite.inTransaction
  }

  /** The writes since the last call; null: only reads. */
  takeWrites(): Writes | null {
    const writes = this.#writes
    this.#writes = null
    return writes
  }

  /** Changes when another connection has committed (https://sqlite.org/pragma.html#pragma_data_version). */
  otherVersion(): number {
    try {
      const { statement } = this.#statementOf('pragma data_version')
      return (statement.get() as { data_version: number }).data_version
    } catch (error) {
      throw typedError(error)
    }
  }

  close(): void {
    // First: open statements keep the file open until they are garbage-collected.
    this.#finalizeStatements()
    this.#sqlite.close()
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    await this.#yieldWhenDue()
    const deadline = performance.now() + lockedMsMax
    for (let failures = 0; ; failures++) {
      try {
        return this.#run<Row>(query)
      } catch (error) {
        const isLocked = codeOf(error)?.startsWith('SQLITE_BUSY') ?? false
        if (!isLocked || performance.now() > deadline) throw typedError(error)
        await Bun.sleep(lockedPauseMs(failures))
      }
    }
  }

  // Statements are synchronous, and awaiting them does not reach the event loop: a transaction of many statements would
  // keep visitors waiting until its end.
  async #yieldWhenDue(): Promise<void> {
    const now = performance.now()
    if (this.#turnBegan !== null && now - this.#turnBegan > consecutiveMsMax) {
      await yieldEventLoop()
    }
    if (this.#turnBegan !== null) return
    this.#turnBegan = now
    void yieldEventLoop().then(() => {
      this.#turnBegan = null
    })
  }

  #run<Row>({ sql, parameters, query }: CompiledQuery): QueryResult<Row> {
    const { statement, hasRows } = this.#statementOf(sql)
    const bindings = parameters as SQLQueryBindings[]
    if (hasRows) {
      const rows = statement.all(...bindings) as Row[]
      this.#noteWrites(writesOf(query.kind, sql, rows.length))
      return { rows }
    }
    const { changes } = statement.run(...bindings)
    this.#noteWrites(writesOf(query.kind, sql, changes))
    return { rows: [], numAffectedRows: BigInt(changes) }
  }

  #noteWrites(writes: Writes | null): void {
    if (this.#writes !== 'changes') this.#writes = writes ?? this.#writes
  }

  #statementOf(sql: string): KeptStatement {
    const kept = this.#statements.get(sql)
    if (kept !== undefined) return kept
    if (this.#statements.size >= statementsMax) this.#finalizeStatements()
    const statement = this.#sqlite.prepare<unknown, SQLQueryBindings[]>(sql)
    const made = { statement, hasRows: statement.columnNames.length > 0 }
    this.#statements.set(sql, made)
    return made
  }

  #finalizeStatements(): void {
    for (const { statement } of this.#statements.values()) statement.finalize()
    this.#statements.clear()
  }

  // biome-ignore lint/correctness/useYield: the interface demands it, no query here streams
  async *streamQuery<Row>(): AsyncIterableIterator<QueryResult<Row>> {
    throw new Error('streaming is not supported')
  }
}

/** The number of writes that a statement counts as, by the rows that it changed or returned. */
function writesOf(kind: RootOperationNode['kind'], sql: string, rows: number): Writes | null {
  switch (kind) {
    case 'SelectQueryNode':
      return null
    case 'InsertQueryNode':
    case 'UpdateQueryNode':
    case 'DeleteQueryNode':
      return rows > 0 ? 'changes' : 'no-change'
    default:
      return silent.has(sql) ? null : 'changes'
  }
}

function openFile(file: string): SqliteFile {
  try {
    const sqlite = new SqliteFile(file, { create: true, strict: true })
    sqlite.run('pragma busy_timeout = 10000')
    sqlite.run('pragma journal_mode = wal')
    // SQLite syncs checkpoints only; we sync commits (`releaseConnection`).
    sqlite.run('pragma synchronous = normal')
    sqlite.run('pragma foreign_keys = on')
    // What was deleted is not left in free pages (`clearLog`). Measured: 0.3 ms of processor time for a row of 200 kB.
    sqlite.run('pragma secure_delete = on')
    // From now on executeQuery waits: SQLite's own waiting would block the event loop.
    sqlite.run('pragma busy_timeout = 0')
    return sqlite
  } catch (cause) {
    throw new DatabaseUnavailableError('sqlite', cause)
  }
}

/** SQLite's result codes for failures of the disk or other processes: https://sqlite.org/rescode.html */
const unavailableCodes =
  /^SQLITE_(BUSY|LOCKED|FULL|IOERR|CANTOPEN|READONLY|CORRUPT|NOTADB|NOMEM|PERM|PROTOCOL)/

function typedError(error: unknown): unknown {
  return unavailableCodes.test(codeOf(error) ?? '')
    ? new DatabaseUnavailableError('sqlite', error)
    : error
}
