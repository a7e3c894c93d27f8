import { type Selectable, sql } from 'kysely'
import type { LogEntry } from '#observe/log-entry.ts'
import { chunksOf } from '#store/database/chunks.ts'
import type { Db } from '#store/database/database.ts'
import type { Schema } from '#store/database/schema.ts'
import { storableText } from '#store/database/storable-text.ts'
import { inTransaction, isPostgres, lockUntilCommit } from '#store/database/transaction.ts'
import { type LogFilter, searchedWords, wordsOf } from './log-words.ts'

export interface StoredLogEntry extends LogEntry {
  /** Grows in the order in which entries became visible. */
  readonly id: number
}

/** SQLite indexes the words of a chunk in one go, while the thread does nothing else. */
const chunkMax = 8
/**
 * PostgreSQL's index answers in no order: a word that a million entries have would be sorted each time. So each entry has
 * its slab of consecutive ids as a word, and the newest slabs are asked first.
 */
const slabIds = 20_000

/** Appends entries in this order. */
export async function appendLogEntries(db: Db, entries: readonly LogEntry[]): Promise<void> {
  if (entries.length === 0) return
  await inTransaction(db, async (transaction) => {
    // A reader that continues after an id must not miss an earlier one that is committed later.
    await lockUntilCommit(transaction, 'log entries')
    const append = isPostgres(db) ? appendToPostgres : appendToSqlite
    for (const chunk of chunksOf(entries, chunkMax)) await append(transaction, chunk)
  })
}

async function appendToSqlite(db: Db, entries: readonly LogEntry[]): Promise<void> {
  const { rows } = await sql<{ seq: number }>`
    select seq from sqlite_sequence where name = 'log_entries'`.execute(db)
  const last = rows[0]?.seq ?? 0
  const withIds = entries.map((entry, at) => ({ id: last + 1 + at, entry }))
  await db
    .insertInto('logEntries')
    .values(withIds.map(({ id, entry }) => ({ id, ...rowOf(entry) })))
    .execute()
  const words = withIds.map(({ id, entry }) => sql`(${id}, ${[...wordsOf(entry)].join(' ')})`)
  await sql`insert into log_words (rowid, words) values ${sql.join(words)}`.execute(db)
}

async function appendToPostgres(db: Db, entries: readonly LogEntry[]): Promise<void> {
  const rows = entries.map((entry) => ({ ...rowOf(entry), words: [...wordsOf(entry)] }))
  await sql`
    insert into log_entries (id, at, level, service, message, event, trace_id, context, words)
    select id, at, level, service, message, event, "traceId", context,
      array_to_tsvector(words || ('slab=' || id / ${sql.lit(slabIds)}))
    from (
      select nextval(pg_get_serial_sequence('log_entries', 'id')) as id, given.*
      from json_to_recordset(${JSON.stringify(rows)}::json) as given (
        at bigint, level text, service text, message text, event text, "traceId" text, context text, words text[]
      )
    ) as numbered`.execute(db)
}

function rowOf({ context, event, message, ...entry }: LogEntry) {
  const { at, level, service, traceId } = entry
  return {
    ...{ at, level, service, event, traceId },
    // PostgreSQL takes no half of a surrogate pair, either.
    message: storableText(message).toWellFormed(),
    context: JSON.stringify(context),
  }
}

export interface LogPage {
  /** Left out: from the newest. */
  readonly before?: number | undefined
  readonly limit: number
}

/** The entries with these words before this id, newest first. */
export async function listLogEntries(
  db: Db,
  filter: LogFilter,
  { before = Number.MAX_SAFE_INTEGER, limit }: LogPage,
): Promise<StoredLogEntry[]> {
  const words = searchedWords(filter)
  if (words === null) return []
  const listed = db.selectFrom('logEntries').selectAll().orderBy('id', 'desc').limit(limit)
  if (words.length === 0) return (await listed.where('id', '<', before).execute()).map(entryOf)
  const find = isPostgres(db) ? findInPostgres : findInSqlite
  const ids = await find(db, words, { before, limit })
  return ids.length === 0 ? [] : (await listed.where('id', 'in', ids).execute()).map(entryOf)
}

async function findInSqlite(
  db: Db,
  words: readonly string[],
  page: Required<LogPage>,
): Promise<number[]> {
  // In quotes nothing is an operator; words hold no quotes.
  const match = words.map((word) => `"${word}"`).join(' AND ')
  const { rows } = await sql<{ rowid: number }>`
    select rowid from log_words where log_words match ${match} and rowid < ${page.before}
    order by rowid desc limit ${page.limit}`.execute(db)
  return rows.map(({ rowid }) => rowid)
}

async function findInPostgres(
  db: Db,
  words: readonly string[],
  page: Required<LogPage>,
): Promise<number[]> {
  const query = words.map((word) => `'${word}'`).join(' & ')
  // `id + 0`: sorted within the slab, never by reading all entries in the order of the primary key.
  const { rows } = await sql<{ id: number }>`
    with ends as (
      select min(id) / ${sql.lit(slabIds)} as first,
        (select max(id) from log_entries where id < ${page.before}) / ${sql.lit(slabIds)} as last
      from log_entries
    )
    select found.id from ends, generate_series(last, first, -1) as slab, lateral (
      select id from log_entries
      where words @@ (${query} || ' & ''slab=' || slab || '''')::tsquery and id < ${page.before}
      order by id + 0 desc limit ${page.limit}
    ) as found
    limit ${page.limit}`.execute(db)
  return rows.map(({ id }) => id)
}

/** The entries after this id, oldest first, whatever their words are. */
export async function listLogEntriesAfter(
  db: Db,
  after: number,
  limit: number,
): Promise<StoredLogEntry[]> {
  const newer = db.selectFrom('logEntries').selectAll().where('id', '>', after)
  return (await newer.orderBy('id').limit(limit).execute()).map(entryOf)
}

/** 0 without entries. */
export async function lastLogEntryId(db: Db): Promise<number> {
  const { id } = await db
    .selectFrom('logEntries')
    .select(({ fn }) => fn.max('id').as('id'))
    .executeTakeFirstOrThrow()
  return id ?? 0
}

type Row = Omit<Selectable<Schema['logEntries']>, 'words'>

function entryOf({
  id,
  at,
  level,
  service,
  message,
  event,
  traceId,
  context,
}: Row): StoredLogEntry {
  return {
    ...{ id, at, level, service, message, event, traceId },
    context: JSON.parse(context) as LogEntry['context'],
  }
}
