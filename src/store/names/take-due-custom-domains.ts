import type { Db } from '#store/database/database.ts'
import { inTransaction, isPostgres } from '#store/database/transaction.ts'
import { type CustomDomain, customDomainOf } from './custom-domains.ts'

/**
 * Takes verified domains whose next check is due, the longest first. Nobody else gets them before
 * `leaseMs` are over.
 */
export async function takeDueCustomDomains(
  db: Db,
  { now, leaseMs, limit }: { now: number; leaseMs: number; limit: number },
): Promise<CustomDomain[]> {
  return await inTransaction(db, async (transaction) => {
    const due = transaction
      .selectFrom('customDomains')
      .select('id')
      .where('verified', '=', 1)
      .where('nextCheckAt', '<=', now)
      .orderBy('nextCheckAt')
      .limit(limit)
    const ids = await (isPostgres(db) ? due.forUpdate().skipLocked() : due).execute()
    if (ids.length === 0) return []
    const rows = await transaction
      .updateTable('customDomains')
      .set({ nextCheckAt: now + leaseMs })
      .where(
        'id',
        'in',
        ids.map(({ id }) => id),
      )
      .returningAll()
      .execute()
    return rows.map(customDomainOf)
  })
}
