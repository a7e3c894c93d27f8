import type { Did } from '#site/site-address.ts'
import { lockAccount } from '#store/accounts/deleted-here.ts'
import { didHash } from '#store/accounts/did-hash.ts'
import type { Db } from '#store/database/database.ts'
import { inTransaction } from '#store/database/transaction.ts'
import { removeAccountRows } from './remove-account.ts'

export type AccountDeletionOutcome = 'begun' | 'publishing'

/**
 * Removes everything that is stored about the account, in one transaction: its names are kept as released ones, its sites
 * are hidden, its browsers signed out. Work in progress stores nothing about it any more. `takeDueAccountDeletions`
 * returns it for what remains to be done outside the database. `publishing`: it has an unfinished job; nothing happens.
 */
export function beginAccountDeletion(
  db: Db,
  did: Did,
  now: number,
): Promise<AccountDeletionOutcome> {
  return inTransaction(db, async (transaction) => {
    await lockAccount(transaction, did)
    const unfinished = transaction.selectFrom('jobs').select('id').where('did', '=', did)
    const job = await unfinished.where('finishedAt', 'is', null).executeTakeFirst()
    if (job !== undefined) return 'publishing'
    const row = { did, deletedAt: now, attempts: 0, nextAttemptAt: now }
    await transaction
      .insertInto('accountDeletions')
      .values({ didHash: didHash(did), ...row })
      .onConflict((conflict) => conflict.column('didHash').doUpdateSet(row))
      .execute()
    await removeAccountRows(transaction, did, now)
    return 'begun'
  })
}

/** Accounts whose OAuth session has yet to end at their own server. No other caller gets them until `retryMs` are over. */
export async function takeDueAccountDeletions(
  db: Db,
  { now, retryMs, limit }: { now: number; retryMs: number; limit: number },
): Promise<Did[]> {
  const due = db
    .selectFrom('accountDeletions')
    .select('didHash')
    .where('did', 'is not', null)
    .where('nextAttemptAt', '<=', now)
    .orderBy('nextAttemptAt')
    .limit(limit)
  const rows = await db
    .updateTable('accountDeletions')
    .set(({ eb }) => ({ nextAttemptAt: now + retryMs, attempts: eb('attempts', '+', 1) }))
    .where('didHash', 'in', due)
    .where('nextAttemptAt', '<=', now)
    .returning('did')
    .execute()
  return rows.flatMap(({ did }) => did ?? [])
}

/** Deletes the account's tokens, and the last row that names it. */
export function finishAccountDeletion(db: Db, did: Did, now: number): Promise<void> {
  return inTransaction(db, async (transaction) => {
    await lockAccount(transaction, did)
    const { numUpdatedRows } = await transaction
      .updateTable('accountDeletions')
      .set({ did: null })
      .where('did', '=', did)
      .executeTakeFirstOrThrow()
    // It has signed in again: these are the rows of its new sign-in.
    if (numUpdatedRows === 0n) return
    // Once more: a late answer may have stored something since the deletion began.
    await removeAccountRows(transaction, did, now)
    await transaction.deleteFrom('sealedRows').where('key', '=', did).execute()
  })
}
