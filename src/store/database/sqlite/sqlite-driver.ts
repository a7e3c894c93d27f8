import type { DatabaseConnection, Driver } from 'kysely'
import { Semaphore } from '#concurrency/semaphore.ts'
import { DatabaseUnavailableError } from '#store/database/database-unavailable.ts'
import { BunSqliteConnection, begin, commit, rollback } from './sqlite-connection.ts'
import type { WriteAheadLog } from './write-ahead-log.ts'

/** The limit of statements and transactions that wait for the connection. */
export const sqliteWaitingMax = 10_000

/** One connection: statements and transactions have it one after the other. */
export class BunSqliteDriver implements Driver {
  readonly #file: string
  readonly #mutex = new Semaphore({ max: 1, waitingMax: sqliteWaitingMax, key: 'sqlite' })
  readonly #log: WriteAheadLog
  #connection: BunSqliteConnection | undefined
  #permit: Disposable | undefined
  #commits = 0
  /** How many of them are on the disk. */
  #durable = 0
  /** The file's version whose commits by other connections are on the disk. */
  #durableVersion: number | null = null

  constructor(file: string, log: WriteAheadLog) {
    this.#file = file
    this.#log = log
  }

  load() {
    const [open, waiting] = [this.#connection === undefined ? 0 : 1, this.#mutex.waitingCount]
    return { open, idle: this.#mutex.isFree ? open : 0, waiting }
  }

  async init(): Promise<void> {
    this.#connection = new BunSqliteConnection(this.#file)
  }

  async acquireConnection(): Promise<BunSqliteConnection> {
    if (this.#connection === undefined) throw new Error('the database is not open')
    this.#permit = await this.#mutex.acquire().catch((cause) => {
      throw new DatabaseUnavailableError('sqlite', cause)
    })
    return this.#connection
  }

  /**
   * Resolves once the transaction's commit is durable, or the commits that it found if it changed nothing. The sync runs
   * off the event loop and the connection is free meanwhile: a power failure may still undo what others read then, and
   * their writes come later in the log.
   */
  async releaseConnection(connection: BunSqliteConnection): Promise<void> {
    const writes = connection.takeWrites()
    if (writes === 'changes') this.#commits += 1
    this.#permit?.[Symbol.dispose]()
    if (writes === 'changes') await this.#sync()
    if (writes === 'no-change') await this.#syncWhatWasFound(connection.otherVersion())
  }

  async #syncWhatWasFound(version: number): Promise<void> {
    if (this.#durable === this.#commits && this.#durableVersion === version) return
    await this.#sync()
    this.#durableVersion = version
  }

  async #sync(): Promise<void> {
    const commits = this.#commits
    await this.#log.sync()
    this.#durable = Math.max(this.#durable, commits)
  }

  async beginTransaction(connection: DatabaseConnection): Promise<void> {
    // Immediate: a transaction that reads first would fail to write if another process wrote in between.
    await connection.executeQuery(begin)
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(commit)
  }

  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    // SQLite rolls back automatically when the disk is full; `rollback` would then hide the real error.
    if (this.#connection?.isInTransaction) await connection.executeQuery(rollback)
  }

  async destroy(): Promise<void> {
    await this.#log.close()
    this.#connection?.close()
  }
}
