import { addAllowedAccount, removeAllowedAccount } from '#store/moderation/allowed-accounts.ts'
import {
  addInvitation,
  type NewInvitation,
  revokeInvitation,
} from '#store/moderation/invitations.ts'
import { type AdminContext, audited, type By } from './action.ts'

/** Who may sign in: everybody, the accounts on the list, or also whoever has an invitation. */
export type SignInPolicy = 'open' | 'listed' | 'invited'

const dayMs = 24 * 60 * 60 * 1000
export const invitationDaysMax = 90

/** The hash under which an invitation's code is stored. */
export const invitationHash = (code: string): string =>
  new Bun.CryptoHasher('sha256').update(code).digest('hex')

export interface CreatedInvitation {
  /** For the guest. It is stored nowhere. */
  readonly code: string
  readonly id: string
  readonly expiresAt: number
}

/** Creates an invitation for one sign-in within `days`. Null: too many are open. */
export async function invite(
  days: number,
  by: By,
  context: AdminContext,
): Promise<CreatedInvitation | null> {
  const { now } = context
  const code = Buffer.from(crypto.getRandomValues(new Uint8Array(20))).toString('base64url')
  const invitation: NewInvitation = {
    codeHash: invitationHash(code),
    createdBy: by.actor,
    createdAt: now(),
    expiresAt: now() + days * dayMs,
  }
  const { codeHash: id, expiresAt } = invitation
  const action = { action: 'invitation.create', subject: id, details: { days } }
  const isAdded = await audited(action, by, context, (transaction) =>
    addInvitation(transaction, invitation),
  )
  return isAdded ? { code, id, expiresAt } : null
}

/** False: it is used, or unknown. */
export async function withdrawInvitation(
  id: string,
  by: By,
  context: AdminContext,
): Promise<boolean> {
  return await audited({ action: 'invitation.revoke', subject: id }, by, context, (transaction) =>
    revokeInvitation(transaction, id),
  )
}

/** Lets an account, a DID or a handle in lower case, sign in. False: the list is full. */
export async function allowAccount(
  account: string,
  by: By,
  context: AdminContext,
): Promise<boolean> {
  const allowed = { account, addedBy: by.actor, at: context.now() }
  return await audited({ action: 'account.allow', subject: account }, by, context, (transaction) =>
    addAllowedAccount(transaction, allowed),
  )
}

/** Takes an account from the list; its sessions end at their next request. False: it is not on it. */
export async function disallowAccount(
  account: string,
  by: By,
  context: AdminContext,
): Promise<boolean> {
  return await audited(
    { action: 'account.disallow', subject: account },
    by,
    context,
    (transaction) => removeAllowedAccount(transaction, account),
  )
}
