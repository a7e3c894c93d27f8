import { type RawBuilder, sql } from 'kysely'
import type { Db } from './database.ts'
import { isPostgres } from './transaction.ts'

/**
 * The milliseconds by which times in rows are compared that several machines write: PostgreSQL's own clock, because theirs
 * may differ. On SQLite, which one machine uses, `now`.
 */
export function databaseNow(db: Db, now: number): RawBuilder<number> {
  return isPostgres(db)
    ? sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`
    : sql<number>`${now}`
}

/** `databaseNow`, and this much later. */
export const databaseTimeIn = (db: Db, ms: number, now: number): RawBuilder<number> =>
  sql<number>`(${databaseNow(db, now)} + ${ms})`
