import { type Identities, type Identity, IdentityError } from '#atproto/identity/identity.ts'
import { type RepoStatus, readRepoStatus } from '#atproto/repo/repo-status.ts'
import { recordEvent } from '#observe/events.ts'
import type { SafeFetch } from '#outbound/safe-fetch.ts'
import type { Did } from '#site/site-address.ts'
import { beginCheck, recordCheck } from '#store/accounts/account-status.ts'
import { recordHandle } from '#store/accounts/accounts.ts'
import type { WorkContext } from './work-context.ts'

export interface CheckContext extends WorkContext {
  readonly identities: Pick<Identities, 'resolve' | 'verifiedHandle'>
  readonly fetch: SafeFetch
}

export interface AccountCheck {
  /** Its number, as `beginCheck` gives it. */
  readonly check: number
  readonly status: RepoStatus
  /** Null: the directory says that the account is gone for good. */
  readonly identity: Identity | null
  /** As `verifiedHandle` returns it; also undefined for an account that is not active. */
  readonly handle: string | null | undefined
}

/**
 * Checks an account's DID document and, on the server named there, whether it is active. From then on visitors of a
 * known account see its sites, or no longer see them. Throws, with nothing changed, when one of the two is
 * unreachable. The handle comes last: a handle's host that does not answer must not delay hiding the sites.
 */
export async function checkAccount(did: Did, context: CheckContext): Promise<AccountCheck> {
  const { at, db, wakeUps, identities, log, now, signal } = context
  // Of concurrent checks, the one that began last counts, not the one that was answered last.
  const check = await beginCheck(db)
  const identity = await resolveNow(did, context)
  const status = identity === null ? 'deleted' : await readRepoStatus(identity, context)
  // For a deleted account, the stored facts stay.
  const facts = identity && { pds: identity.pds, signingKey: identity.signingMultikey }
  const outcome = await recordCheck(db, { did, check, status, ...facts }, now())
  if (outcome === 'status-changed') {
    at?.('account-status-changed')
    wakeUps.notify('changes')
    if (status === 'active') recordEvent(log, 'account_back', { did })
    else recordEvent(log, 'account_hidden', { did, reason: status })
  }
  if (outcome === 'moved') recordEvent(log, 'account_moved', { did })
  const result = { check, status, identity, handle: undefined }
  if (identity === null || status !== 'active') return result
  const handle = await identities.verifiedHandle(identity, signal)
  if (outcome !== 'ignored' && handle !== undefined) {
    await recordHandle(db, { did, check, handle }, now())
  }
  return { ...result, handle }
}

/** Null: the directory says that the account is gone for good. */
async function resolveNow(
  did: Did,
  { identities, signal }: CheckContext,
): Promise<Identity | null> {
  try {
    return await identities.resolve(did, { fresh: true, signal })
  } catch (error) {
    if (error instanceof IdentityError && isTombstone(error)) return null
    throw error
  }
}

/** The PLC directory answers 410 for a DID whose last operation is a tombstone. */
function isTombstone(error: IdentityError): boolean {
  if (!error.did.startsWith('did:plc:')) return false
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    if ('status' in cause && cause.status === 410) return true
  }
  return false
}
