import { sql } from 'kysely'
import type { Db } from '#store/database/database.ts'
import { inTransaction, isPostgres } from '#store/database/transaction.ts'
import { lastLogEntryId } from './log-entries.ts'

/** Distinct errors that are kept: the most recently seen. */
export const errorEntriesMax = 1000
const deletedAtOnce = 500

/** Deletes the oldest entries: those beyond `rowsMax`, and those before this time. Returns how many. */
export async function pruneLogEntries(
  db: Db,
  { before, rowsMax }: { readonly before: number; readonly rowsMax: number },
): Promise<number> {
  const lastToDelete = (await lastLogEntryId(db)) - rowsMax
  for (let deleted = 0; ; ) {
    const count = await deleteOldest(db, { before, lastToDelete })
    deleted += count
    if (count < deletedAtOnce) return deleted
  }
}

async function deleteOldest(
  db: Db,
  { before, lastToDelete }: { readonly before: number; readonly lastToDelete: number },
): Promise<number> {
  return await inTransaction(db, async (transaction) => {
    const oldest = await transaction
      .selectFrom('logEntries')
      .select(['id', 'at'])
      .orderBy('id')
      .limit(deletedAtOnce)
      .execute()
    const ids = oldest.filter(({ id, at }) => id <= lastToDelete || at < before).map(({ id }) => id)
    if (ids.length === 0) return 0
    if (!isPostgres(db)) {
      await sql`delete from log_words where rowid in (${sql.join(ids)})`.execute(transaction)
    }
    await transaction.deleteFrom('logEntries').where('id', 'in', ids).execute()
    return ids.length
  })
}

/** Keeps the `errorEntriesMax` most recently seen errors, and of them those seen since `before`. */
export async function pruneErrorEntries(
  db: Db,
  { before }: { readonly before: number },
): Promise<void> {
  const kept = db
    .selectFrom('errorEntries')
    .select('fingerprint')
    .where('lastSeen', '>=', before)
    .orderBy('lastSeen', 'desc')
    .orderBy('fingerprint')
    .limit(errorEntriesMax)
  await db.deleteFrom('errorEntries').where('fingerprint', 'not in', kept).execute()
}
