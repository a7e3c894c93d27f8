import type { Did } from '#site/site-address.ts'
import { deleteBrowserSessionsOf } from '#store/accounts/sessions.ts'
import { type LimitOverrides, putLimitOverrides } from '#store/moderation/account-limits.ts'
import { type AdminContext, audited, type By } from './action.ts'

/** Signs the account out of all browsers. Its running jobs continue. */
export async function endSessions(did: Did, by: By, context: AdminContext): Promise<void> {
  await audited({ action: 'account.end-sessions', subject: did }, by, context, (transaction) =>
    deleteBrowserSessionsOf(transaction, did),
  )
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
