import { setTimeout } from 'node:timers/promises'
import type { Transaction } from 'kysely'
import { SemaphoreBusyError } from '#concurrency/semaphore.ts'
import type { Db } from './database.ts'
import { DatabaseUnavailableError } from './database-unavailable.ts'
import type { Schema } from './schema.ts'
import { inTransaction, isPostgres } from './transaction.ts'

/** Pieces of work in one commit, for which other writes wait. */
const sharedMax = 64
/** Pieces of work that wait for a commit; one more fails. */
export const sharedWaitingMax = 10_000
/**
 * The statements of a commit keep the event loop busy. Other work then runs for this many times as long as the commit
 * took; writes that become ready meanwhile join the next commit.
 */
const pauseRatio = 3
const pauseMsMax = 20

type Work<Result> = (transaction: Transaction<Schema>) => Promise<Result>

/**
 * As `inTransaction`, but on SQLite, where commits wait for the disk one after the other, work that is ready at the same
 * time shares a commit. Work is durable when its promise resolves, and fails alone: it may run a second time for that, so
 * it must change nothing but its transaction.
 */
export function inSharedTransaction<Result>(db: Db, work: Work<Result>): Promise<Result> {
  if (db.isTransaction || isPostgres(db)) return inTransaction(db, work)
  const commits = commitsOf.get(db) ?? new SharedCommits(db)
  commitsOf.set(db, commits)
  return commits.run(work)
}

const commitsOf = new WeakMap<Db, SharedCommits>()

interface Member {
  readonly work: Work<unknown>
  readonly resolve: (result: unknown) => void
  readonly reject: (reason: unknown) => void
}

class SharedCommits {
  readonly #db: Db
  readonly #waiting: Member[] = []
  #isRunning = false
  /** When the next commit may begin. */
  #earliest = 0

  constructor(db: Db) {
    this.#db = db
  }

  async run<Result>(work: Work<Result>): Promise<Result> {
    if (this.#waiting.length >= sharedWaitingMax) {
      throw new DatabaseUnavailableError('sqlite', new SemaphoreBusyError('shared commit'))
    }
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    this.#waiting.push({ work, resolve, reject })
    if (!this.#isRunning) void this.#drain()
    return (await promise) as Result
  }

  async #drain(): Promise<void> {
    this.#isRunning = true
    while (this.#waiting.length > 0) {
      await setTimeout(Math.min(Math.max(0, this.#earliest - performance.now()), pauseMsMax))
      await this.#commit(this.#waiting.splice(0, sharedMax))
    }
    this.#isRunning = false
  }

  async #commit(members: readonly Member[]): Promise<void> {
    try {
      const results = await inTransaction(this.#db, async (transaction) => {
        const start = performance.now()
        const done: unknown[] = []
        for (const { work } of members) done.push(await work(transaction))
        const end = performance.now()
        // Without the disk: other work runs while the commit waits for it.
        this.#earliest = end + pauseRatio * (end - start)
        return done
      })
      for (const [i, { resolve }] of members.entries()) resolve(results[i])
    } catch (error) {
      if (members.length === 1 || error instanceof DatabaseUnavailableError) {
        for (const { reject } of members) reject(error)
      } else {
        for (const member of members) await this.#commit([member])
      }
    }
  }
}
