import { stat } from 'node:fs/promises'
import { sql } from 'kysely'
import type { Db } from './database.ts'

/** What the database takes: SQLite's file and its write-ahead log, or what PostgreSQL says. */
export async function databaseBytes(db: Db, file: string | null): Promise<number> {
  if (file !== null) {
    const parts = await Promise.all([file, `${file}-wal`].map(sizeOf))
    return parts.reduce((sum, bytes) => sum + bytes, 0)
  }
  const { rows } = await sql<{
    bytes: number
  }>`select pg_database_size(current_database()) as bytes`.execute(db)
  return Number(rows[0]?.bytes)
}

/** 0 without the file: the log is removed when the last connection closes. */
const sizeOf = (path: string): Promise<number> =>
  stat(path).then(
    ({ size }) => size,
    () => 0,
  )
