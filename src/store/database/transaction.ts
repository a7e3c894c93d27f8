import { PostgresAdapter, sql, type Transaction } from 'kysely'
import type { Db } from './database.ts'
import type { Schema } from './schema.ts'

/** Runs `work` in the transaction that `db` already is, else in a new one. */
export async function inTransaction<Result>(
  db: Db,
  work: (transaction: Transaction<Schema>) => Promise<Result>,
): Promise<Result> {
  if (db.isTransaction) return await work(db as Transaction<Schema>)
  const callbacks: (() => void)[] = []
  const result = await db.transaction().execute((transaction) => {
    callbacksOf.set(transaction, callbacks)
    return work(transaction)
  })
  for (const callback of callbacks) callback()
  return result
}

/** Calls back once the transaction has committed, never if it fails; outside a transaction, immediately. */
export function afterCommit(db: Db, callback: () => void): void {
  const callbacks = callbacksOf.get(db)
  if (callbacks === undefined) callback()
  else callbacks.push(callback)
}

const callbacksOf = new WeakMap<Db, (() => void)[]>()

/** Holds the mutex of `subject` until the transaction ends. SQLite has one writing transaction at a time anyway. */
export async function lockUntilCommit(
  transaction: Transaction<Schema>,
  subject: string,
): Promise<void> {
  if (!isPostgres(transaction)) return
  await sql`select pg_advisory_xact_lock(hashtextextended(${subject}, 0))`.execute(transaction)
}

/** PostgreSQL rolls this transaction back when its client says nothing for so long, and others may continue. */
export async function limitIdleTime(transaction: Db, ms: number): Promise<void> {
  if (!isPostgres(transaction)) return
  await sql`select set_config('idle_in_transaction_session_timeout', ${String(ms)}, true)`.execute(
    transaction,
  )
}

export function isPostgres(db: Db): boolean {
  return db.getExecutor().adapter instanceof PostgresAdapter
}
