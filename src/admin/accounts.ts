import type { Did } from '#site/site-address.ts'
import { didHash } from '#store/accounts/did-hash.ts'
import { endSessionsOf } from '#store/accounts/sessions.ts'
import { appendSignedOut } from '#store/database/changes.ts'
import { type LimitOverrides, putLimitOverrides } from '#store/moderation/account-limits.ts'
import { type AdminContext, audited, type By } from './action.ts'

/**
 * Signs the account out of all browsers. Its running jobs continue. Within a second the service revokes its grant at its
 * server, if no job needs it.
 */
export async function endSessions(did: Did, by: By, context: AdminContext): Promise<void> {
  const { now, wakeUps } = context
  const action = { action: 'account.end-sessions', subject: did }
  await audited(action, by, context, async (transaction) => {
    await endSessionsOf(transaction, did)
    await appendSignedOut(transaction, didHash(did), now())
  })
  wakeUps.notify('changes')
}

/** Sets all of the account's own limits, in place of those of the settings; it need not be known here. */
export async function setLimits(
  did: Did,
  limits: LimitOverrides,
  by: By,
  context: AdminContext,
): Promise<void> {
  const action = { action: 'account.limits', subject: did, details: { ...limits } }
  await audited(action, by, context, (transaction) => putLimitOverrides(transaction, did, limits))
}
