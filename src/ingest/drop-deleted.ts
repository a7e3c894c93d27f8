import type { Did } from '#site/site-address.ts'
import { listDeletedAccounts } from '#store/accounts/account-status.ts'
import { findAccount } from '#store/accounts/accounts.ts'
import { lockUnlessDeletedHere } from '#store/accounts/deleted-here.ts'
import { deleteSealed } from '#store/accounts/sealed-rows.ts'
import type { Db } from '#store/database/database.ts'
import { inTransaction } from '#store/database/transaction.ts'
import { removeAccountRows } from '#store/lifecycle/remove-account.ts'
import { type CheckContext, checkAccount } from './check-account.ts'

/** How long a deleted account's data stays, hidden: its server may have been wrong, or be restored. */
export const deletedKeptMs = 30 * 24 * 60 * 60 * 1000
/** Accounts per call; the next call drops more. */
const droppedAtOnce = 100

/**
 * Drops accounts that have been deleted for a month: their sites, versions and names. Checks each account once more; one
 * that is active again is kept. An unreachable server counts as deleted. Returns how many accounts were dropped.
 */
export async function dropDeletedAccounts(context: CheckContext): Promise<number> {
  const { db, wakeUps, log, now, signal } = context
  const before = now() - deletedKeptMs
  let dropped = 0
  for (const did of await listDeletedAccounts(db, { before, limit: droppedAtOnce })) {
    if (signal.aborted || !(await checkWhetherDeleted(did, context))) continue
    const isDropped = await inTransaction(db, async (transaction) => {
      // Another check may have found the account active since ours.
      if (!(await lockUnlessDeletedHere(transaction, did)) || !(await isDeleted(transaction, did)))
        return false
      await removeAccountRows(transaction, did, now())
      // A deleted account has no server that could revoke the tokens.
      await deleteSealed(transaction, { kind: 'oauth-session', key: did })
      return true
    })
    if (!isDropped) continue
    wakeUps.notify('changes')
    log.info('deleted account dropped', { did })
    dropped += 1
  }
  return dropped
}

const isDeleted = async (db: Db, did: Did): Promise<boolean> =>
  (await findAccount(db, did))?.status === 'deleted'

async function checkWhetherDeleted(did: Did, context: CheckContext): Promise<boolean> {
  try {
    return (await checkAccount(did, context)).status === 'deleted'
  } catch (error) {
    context.log.info('deleted account check failed', { did, error })
    return true
  }
}
