import { setTimeout } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Db } from './database.ts'
import { isPostgres } from './transaction.ts'

const attempts = 5
const pauseMs = 20

/**
 * Empties SQLite's write-ahead log, which has the former content of deleted rows until it is written over. False: others were
 * reading it all the time. Nothing on PostgreSQL, whose log and vacuum are its administrator's.
 */
export async function clearLog(db: Db, signal: AbortSignal): Promise<boolean> {
  if (isPostgres(db)) return true
  for (let attempt = 1; ; attempt++) {
    const { rows } = await sql<{ busy: number }>`pragma wal_checkpoint(truncate)`.execute(db)
    if (rows[0]?.busy === 0) return true
    if (attempt === attempts) return false
    await setTimeout(pauseMs, undefined, { signal })
  }
}
