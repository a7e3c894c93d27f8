import type { Db } from '#store/database/database.ts'
import { inTransaction, isPostgres } from '#store/database/transaction.ts'

/** A certificate whose authority is to be asked when it wants it renewed. */
export interface RenewalQuestion {
  readonly name: string
  readonly chain: string
  /** URL of the authority's directory. */
  readonly issuedBy: string
  readonly changedAt: number
}

/** No other process gets them for `leaseMs`; if this one dies, they are due again then. */
export function takeRenewalQuestions(
  db: Db,
  { now, leaseMs, limit }: { now: number; leaseMs: number; limit: number },
): Promise<RenewalQuestion[]> {
  return inTransaction(db, async (transaction) => {
    const due = transaction
      .selectFrom('certificates')
      .select('name')
      .where('isWanted', '=', 1)
      .where('renewalInfoAt', '<=', now)
      .orderBy('renewalInfoAt')
      .limit(limit)
    const taken = await (isPostgres(db) ? due.forUpdate().skipLocked() : due).execute()
    if (taken.length === 0) return []
    const rows = await transaction
      .updateTable('certificates')
      .set({ renewalInfoAt: now + leaseMs })
      .where(
        'name',
        'in',
        taken.map(({ name }) => name),
      )
      .returning(['name', 'chain', 'issuedBy', 'changedAt'])
      .execute()
    return rows.filter((row): row is RenewalQuestion => row.chain !== null && row.issuedBy !== null)
  })
}

/** `askAt`: when it is asked again; null: never. */
export async function saveRenewalQuestion(
  db: Db,
  name: string,
  askAt: number | null,
): Promise<void> {
  await db
    .updateTable('certificates')
    .set({ renewalInfoAt: askAt })
    .where('name', '=', name)
    .execute()
}

/** It is renewed then, unless it was renewed meanwhile, or a renewal has failed: that is tried again at its own time. */
export async function saveRenewalTime(
  db: Db,
  { changedAt, name }: Pick<RenewalQuestion, 'changedAt' | 'name'>,
  renewAt: number,
): Promise<void> {
  await db
    .updateTable('certificates')
    .set({ renewAt, dueAt: renewAt })
    .where('name', '=', name)
    .where('changedAt', '=', changedAt)
    .where('failures', '=', 0)
    // While an order for it runs, `due_at` is that order's lease.
    .whereRef('dueAt', '=', 'renewAt')
    .execute()
}
