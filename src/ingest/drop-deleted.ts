import type { Did } from '#site/site-address.ts'
import { findAccount, listDeletedAccounts } from '#store/accounts/accounts.ts'
import { lockUnlessDeletedHere } from '#store/accounts/deleted-here.ts'
import { deleteSealed } from '#store/accounts/sealed-rows.ts'
import type { Db } from '#store/database/database.ts'
import { inTransaction } from '#store/database/transaction.ts'
import { removeAccountRows } from '#store/lifecycle/remove-account.ts'
import { type CheckContext, checkAccount } from './check-account.ts'

/** What is here of a deleted account stays hidden for so long: its server may have been wrong, or be restored. */
export const deletedKeptMs = 30 * 24 * 60 * 60 * 1000
/** More of them go with the next call. */
const droppedAtOnce = 100

/**
 * Forgets accounts that have been deleted for a month: their sites, versions and names. The account's server is
 * asked once more: one that has come back is shown again instead. One that cannot be asked has never taken back
 * what it said. Returns how many went.
 */
export async function dropDeletedAccounts(context: CheckContext): Promise<number> {
  const { db, wakeUps, log, now, signal } = context
  const before = now() - deletedKeptMs
  let dropped = 0
  for (const did of await listDeletedAccounts(db, { before, limit: droppedAtOnce })) {
    if (signal.aborted || !(await checkWhetherDeleted(did, context))) continue
    const isDropped = await inTransaction(db, async (transaction) => {
      // It was asked for before: another check may have found it back since.
      if (!(await lockUnlessDeletedHere(transaction, did)) || !(await isDeleted(transaction, did)))
        return false
      await removeAccountRows(transaction, did, now())
      // Whoever is gone has nobody who would take the tokens back.
      await deleteSealed(transaction, { kind: 'oauth-session', key: did })
      return true
    })
    if (!isDropped) continue
    wakeUps.notify('changes')
    log.info('deleted account forgotten', { did })
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
    context.log.info('deleted account not asked', { did, error })
    return true
  }
}
