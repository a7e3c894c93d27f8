import type { ApiContext } from '#api/context.ts'
import type { OAuth } from '#atproto/oauth/oauth.ts'
import { recordEvent } from '#observe/events.ts'
import type { Did } from '#site/site-address.ts'
import { endSessionsOf } from '#store/accounts/sessions.ts'
import { isUnused } from '#store/lifecycle/unused-sealed-rows.ts'
import { sessionIdleMs } from './sessions.ts'

type SignInContext = Pick<ApiContext, 'db' | 'log' | 'now' | 'oauth'>

export type RevokeContext = Omit<SignInContext, 'oauth'> & { readonly oauth: Pick<OAuth, 'revoke'> }

/** Signs the account out of all browsers. Its running jobs continue. */
export async function endAllSignIns(did: Did, context: SignInContext): Promise<void> {
  await endSessionsOf(context.db, did)
  await revokeIfUnused(did, context)
}

/** Signs the account out of all browsers if its server has ended the grant and nobody signed in meanwhile. */
export async function endIfGrantEnded(did: Did, context: SignInContext): Promise<void> {
  if (await context.oauth.has(did)) return
  recordEvent(context.log, 'signed_out', { did, reason: 'the account’s server ended the grant' })
  await endAllSignIns(did, context)
}

/** Revokes the account's grant at its server, unless a browser or job still needs it. */
export async function revokeIfUnused(
  did: Did,
  { db, log, now, oauth }: RevokeContext,
): Promise<void> {
  // Checked by `revoke`: another browser may be signing in, and an unfinished job would lose its upload.
  await oauth
    .revoke(did, () => isUnused(db, did, { now: now(), idleMs: sessionIdleMs }))
    .catch((error) => log.warn('session not revoked', { did, error }))
}
