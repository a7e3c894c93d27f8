import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { yieldEventLoop } from '#concurrency/yield-event-loop.ts'
import type { Db } from './database.ts'
import { storableText } from './storable-text.ts'
import { isPostgres } from './transaction.ts'

/** Where a row is in the order of a list: the values of the columns that it is ordered by. */
export type Key = readonly (string | number)[]

/** A part of a list, after one row and up to another; null: from the beginning, to the end. */
export interface Stretch {
  readonly after: Key | null
  readonly upTo: Key | null
  readonly limit: number
}

/** The key of the row `rows` rows after this one; null if there are fewer. */
type KeyAt = (after: Key | null, rows: number) => Promise<Key | null>

interface Searched<Row> {
  /** Whether most rows may not match, and no index finds those that do. */
  readonly looksAtAll: boolean
  readonly after: Key | null
  readonly limit: number
  readonly keyAt: KeyAt
  /** The rows of a stretch that match, in order. */
  readonly matchesIn: (stretch: Stretch) => Promise<Row[]>
}

/** SQLite answers synchronously: this many rows take it some 4 ms where there are a million. */
const rowsPerQuery = 5_000

/**
 * The first rows of a list that match. With `looksAtAll` on SQLite, yields to the event loop between queries for a part of
 * the list each, so that visitors do not wait for a search.
 */
export async function firstMatches<Row>(
  db: Db,
  { after, keyAt, limit, looksAtAll, matchesIn }: Searched<Row>,
): Promise<Row[]> {
  if (!looksAtAll) return await matchesIn({ after, upTo: null, limit })
  const rows: Row[] = []
  for await (const stretch of stretchesOf(db, keyAt, after)) {
    rows.push(...(await matchesIn({ ...stretch, limit: limit - rows.length })))
    if (rows.length >= limit) break
  }
  return rows
}

/** A whole list, in stretches between which SQLite yields to the event loop; on PostgreSQL in one. */
export async function* stretchesOf(
  db: Db,
  keyAt: KeyAt,
  after: Key | null = null,
): AsyncGenerator<Pick<Stretch, 'after' | 'upTo'>> {
  for (let from = after; ; ) {
    const upTo = isPostgres(db) ? null : await keyAt(from, rowsPerQuery)
    yield { after: from, upTo }
    if (upTo === null) return
    from = upTo
    await yieldEventLoop()
  }
}

/** What is left to skip of so many rows of a list, from where on. On SQLite fewer than one query takes; null: the list is over. */
export async function skipRows(
  db: Db,
  keyAt: KeyAt,
  rows: number,
): Promise<{ readonly after: Key | null; readonly offset: number } | null> {
  let after: Key | null = null
  let offset = rows
  while (offset >= rowsPerQuery && !isPostgres(db)) {
    after = await keyAt(after, rowsPerQuery)
    if (after === null) return null
    offset -= rowsPerQuery
    await yieldEventLoop()
  }
  return { after, offset }
}

/** Whether a row is in the stretch, for a list that is ordered by these columns, all in this direction. */
export function isWithin(
  columns: readonly string[],
  { after, upTo }: Pick<Stretch, 'after' | 'upTo'>,
  direction: 'asc' | 'desc',
): RawBuilder<SqlBool> {
  const [beyond, until] = direction === 'asc' ? [sql`>`, sql`<=`] : [sql`<`, sql`>=`]
  const row = sql`(${sql.join(columns.map((column) => sql.ref(column)))})`
  const isBeyond = after === null ? sql`true` : sql`${row} ${beyond} (${sql.join(after)})`
  const isUntil = upTo === null ? sql`true` : sql`${row} ${until} (${sql.join(upTo)})`
  return sql<SqlBool>`(${isBeyond} and ${isUntil})`
}

/** Whether a column begins with the text, by its index. */
export function beginsWith(column: string, text: string): RawBuilder<SqlBool> {
  const value = sql.ref(column)
  const first = storableText(text)
  return sql<SqlBool>`(${value} >= ${first} and ${value} < ${`${first}\u{10FFFF}`})`
}
