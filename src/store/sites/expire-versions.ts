import { sql } from 'kysely'
import { appendChange, appendLabelChange } from '#store/database/changes.ts'
import type { Db } from '#store/database/database.ts'
import { inTransaction } from '#store/database/transaction.ts'

/** Previews in one transaction, for which other writers wait. */
const expiredAtOnce = 100

/** Drops the content of previews that have expired. They stay listed, and their addresses are known to be gone. */
export async function expireVersions(db: Db, now: number): Promise<number> {
  let count = 0
  for (;;) {
    const expired = await inTransaction(db, async (transaction) => {
      const due = transaction
        .selectFrom('versionRecords')
        .select('id')
        .where('snapshot', 'is not', null)
        .where('expiresAt', '<=', now)
        .orderBy('expiresAt')
        .limit(expiredAtOnce)
      const rows = await transaction
        .updateTable('versionRecords')
        .set({ snapshot: null })
        .where('id', 'in', due)
        // Again, for the partial index of ids: without it all versions are read, every minute.
        .where('snapshot', 'is not', null)
        .returning(['did', 'site', 'label', 'alias'])
        .execute()
      for (const { did, site, label, alias } of rows) {
        if (label !== null) await appendLabelChange(transaction, label, now)
        if (alias !== null && site !== '') await appendChange(transaction, { did, name: site }, now)
      }
      return rows.length
    })
    count += expired
    if (expired < expiredAtOnce) return count
  }
}

/** Forgets removals before that time: no reading of a repository takes so long that it could bring a version back. */
export async function forgetRemovedVersions(db: Db, before: number): Promise<void> {
  await db
    .deleteFrom('versionRecords')
    // A literal, as in the partial index.
    .where('state', '=', sql.lit('removed'))
    .where('seenAt', '<', before)
    .execute()
}
