import { type RawBuilder, sql } from 'kysely'
import type { Db } from './database.ts'
import { isWithin, type Key, stretchesOf } from './search.ts'

interface Aggregated {
  readonly table: string
  /** A column that an index has with all others that are read, and of which no two rows have the same value. */
  readonly key: string
  readonly where?: RawBuilder<unknown>
  readonly groupBy?: RawBuilder<unknown>
}

/**
 * What `columns`, such as a count, are of all rows of a table: one answer on PostgreSQL; on SQLite one for each stretch, to be added
 * up, with the event loop in between.
 */
export async function* aggregatesOf<Row>(
  db: Db,
  columns: RawBuilder<unknown>,
  { groupBy, key, table, where = sql`true` }: Aggregated,
): AsyncGenerator<Row> {
  const column = sql.ref(key)
  const rows = sql`from ${sql.table(table)} where ${where}`
  const keyAt = async (after: Key | null, n: number): Promise<Key | null> => {
    const beyond = isWithin([key], { after, upTo: null }, 'asc')
    const found = await sql<{ key: string | number }>`
      select ${column} as key ${rows} and ${beyond} order by ${column} limit 1 offset ${n - 1}`.execute(
      db,
    )
    return found.rows[0] === undefined ? null : [found.rows[0].key]
  }
  const grouped = groupBy === undefined ? sql`` : sql`group by ${groupBy}`
  for await (const stretch of stretchesOf(db, keyAt)) {
    const found = await sql<Row>`
      select ${columns} ${rows} and ${isWithin([key], stretch, 'asc')} ${grouped}`.execute(db)
    yield* found.rows
  }
}
