import type { Did } from '#site/site-address.ts'
import { lockAccount } from '#store/accounts/deleted-here.ts'
import { didHash } from '#store/accounts/did-hash.ts'
import type { Db } from '#store/database/database.ts'
import { inTransaction } from '#store/database/transaction.ts'
import { removeAccountRows } from './remove-account.ts'

export type AccountDeletionOutcome = 'left' | 'publishing'

/**
 * Removes everything that is remembered of the account, in one transaction: its names are kept as released ones, its sites
 * nowhere, its browsers signed out. What was under way for it remembers nothing of it any more, and what
 * has to be done outside of the database is `takeDueAccountDeletions`'s. Not while a job of it is unfinished.
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
    const row = { did, leftAt: now, attempts: 0, nextAttemptAt: now }
    await transaction
      .insertInto('departures')
      .values({ didHash: didHash(did), ...row })
      .onConflict((conflict) => conflict.column('didHash').doUpdateSet(row))
      .execute()
    await removeAccountRows(transaction, did, now)
    return 'left'
  })
}

/**
 * Accounts of which something is left to be done: to end their OAuth session at their own server. Nobody else
 * gets them before `retryMs` are over.
 */
export async function takeDueAccountDeletions(
  db: Db,
  { now, retryMs, limit }: { now: number; retryMs: number; limit: number },
): Promise<Did[]> {
  const due = db
    .selectFrom('departures')
    .select('didHash')
    .where('did', 'is not', null)
    .where('nextAttemptAt', '<=', now)
    .orderBy('nextAttemptAt')
    .limit(limit)
  const rows = await db
    .updateTable('departures')
    .set(({ eb }) => ({ nextAttemptAt: now + retryMs, attempts: eb('attempts', '+', 1) }))
    .where('didHash', 'in', due)
    .where('nextAttemptAt', '<=', now)
    .returning('did')
    .execute()
  return rows.flatMap(({ did }) => did ?? [])
}

/** Nothing is left to be done: the account's tokens go, and the last row that names it. */
export function finishAccountDeletion(db: Db, did: Did, now: number): Promise<void> {
  return inTransaction(db, async (transaction) => {
    await lockAccount(transaction, did)
    const { numUpdatedRows } = await transaction
      .updateTable('departures')
      .set({ did: null })
      .where('did', '=', did)
      .executeTakeFirstOrThrow()
    // It has come back meanwhile: what is here is that of its new sign-in.
    if (numUpdatedRows === 0n) return
    // Once more: an answer to what was asked before it left may have come since.
    await removeAccountRows(transaction, did, now)
    await transaction.deleteFrom('sealedRows').where('key', '=', did).execute()
  })
}
