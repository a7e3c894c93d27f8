import type { Selectable } from 'kysely'
import { containsText } from '#store/database/contains-text.ts'
import type { Db } from '#store/database/database.ts'
import { firstMatches, isWithin, type Stretch } from '#store/database/search.ts'
import { storableText } from '#store/database/storable-text.ts'
import type { ModerationTables } from '#store/database/tables/moderation-tables.ts'

/** The newest entries that are kept. */
const auditEntriesMax = 100_000

/** Who did what to whom, when and why. */
export interface AuditEntry extends Omit<Readonly<Row>, 'details'> {
  /** Facts of the action, by name. */
  readonly details: Readonly<Record<string, unknown>>
}

type Row = Selectable<ModerationTables['auditEntries']>

export type NewAuditEntry = Omit<AuditEntry, 'id'>

/** Appends an entry; in the transaction of the change that it describes. Drops those older than the last `max`. */
export async function appendAuditEntry(
  db: Db,
  entry: NewAuditEntry,
  max: number = auditEntriesMax,
): Promise<void> {
  const { actor, details, reason, subject } = entry
  const { id } = await db
    .insertInto('auditEntries')
    .values({
      ...entry,
      actor: storableText(actor),
      subject: storableText(subject),
      reason: storableText(reason),
      details: storableText(JSON.stringify(details)),
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await db
    .deleteFrom('auditEntries')
    .where('id', '<=', id - max)
    .execute()
}

interface AuditQuery {
  /** Found in actor, action, subject or reason, in any case; empty: all. */
  readonly search?: string
  /** Only entries with smaller ids. */
  readonly before?: number | undefined
  readonly limit: number
}

const searched = ['actor', 'action', 'subject', 'reason']

/** Newest first. */
export async function listAuditEntries(
  db: Db,
  { search = '', before, limit }: AuditQuery,
): Promise<AuditEntry[]> {
  const rows = await firstMatches(db, {
    looksAtAll: search !== '',
    after: before === undefined ? null : [before],
    limit,
    keyAt: async (after, rows) => {
      const row = await newest(db, { after, upTo: null })
        .select('id')
        .limit(1)
        .offset(rows - 1)
        .executeTakeFirst()
      return row === undefined ? null : [row.id]
    },
    matchesIn: ({ limit, ...stretch }) =>
      newest(db, stretch)
        .selectAll()
        .$if(search !== '', (query) => query.where(containsText(searched, search)))
        .limit(limit)
        .execute(),
  })
  return rows.map(({ details, ...row }) => ({ ...row, details: JSON.parse(details) }))
}

const newest = (db: Db, stretch: Pick<Stretch, 'after' | 'upTo'>) =>
  db
    .selectFrom('auditEntries')
    .where(isWithin(['id'], stretch, 'desc'))
    .orderBy('id', 'desc')
