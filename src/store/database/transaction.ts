import { PostgresAdapter, sql, type Transaction } from 'kysely'
import type { Db } from './database.ts'
import type { Schema } from './schema.ts'

/**
 * Runs `work` in the transaction that `db` already is, else in a new one: all of it happens, or
 * nothing.
 */
export function inTransaction<Result>(
  db: Db,
  work: (transaction: Transaction<Schema>) => Promise<Result>,
): Promise<Result> {
  if (db.isTransaction) return work(db as Transaction<Schema>)
  return db.transaction().execute(work)
}

/**
 * Until the transaction ends, no other passes here with the same `subject`. PostgreSQL needs to be
 * asked for that; SQLite has one writing transaction at a time anyway.
 */
export async function lockUntilCommit(
  transaction: Transaction<Schema>,
  subject: string,
): Promise<void> {
  if (!isPostgres(transaction)) return
  await sql`select pg_advisory_xact_lock(hashtextextended(${subject}, 0))`.execute(transaction)
}

export function isPostgres(db: Db): boolean {
  return db.getExecutor().adapter instanceof PostgresAdapter
}
