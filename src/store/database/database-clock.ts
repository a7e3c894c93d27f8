import { type RawBuilder, sql } from 'kysely'
import { everyOrWhenWoken } from '#concurrency/every-or-when-woken.ts'
import type { Log } from '#observe/log.ts'
import type { Db } from './database.ts'
import { isPostgres } from './transaction.ts'
import { waitForDatabase } from './wait-for-database.ts'

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

const syncEveryMs = 30_000
/** An answer that took longer says too little. */
const answerMsMax = 1_000

/** The time as the database has it, so that all instances on it agree, whatever their machines' clocks say. */
export interface Clock {
  readonly now: () => number
  /** Compares it with the database's again and again, until the signal aborts. */
  keep(context: { readonly log: Log; readonly signal: AbortSignal }): Promise<void>
}

/** On SQLite, the machine's clock. */
export async function openClock(db: Db): Promise<Clock> {
  if (!isPostgres(db)) return { now: Date.now, keep: () => Promise.resolve() }
  let ahead = await measure(db)
  ahead ??= Date.now() - performance.now()
  const sync = async (): Promise<number> => {
    ahead = (await measure(db)) ?? ahead
    return syncEveryMs
  }
  return {
    now: () => Math.floor(performance.now() + (ahead ?? 0)),
    keep: async ({ log, signal }) => {
      const onError = waitForDatabase('clock', { log, signal })
      await everyOrWhenWoken(sync, { signal, onError })
    },
  }
}

/** By how much the database's clock is ahead of the monotonic one; null: the answer took too long. */
async function measure(db: Db): Promise<number | null> {
  const before = performance.now()
  const { rows } = await sql<{ at: number }>`select ${databaseNow(db, 0)} as at`.execute(db)
  const after = performance.now()
  const [row] = rows
  return row === undefined || after - before > answerMsMax ? null : row.at - (before + after) / 2
}
