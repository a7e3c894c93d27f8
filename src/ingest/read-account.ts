import type { Identity } from '#atproto/identity/identity.ts'
import { listRecordKeys } from '#atproto/repo/list-record-keys.ts'
import type { RepoStatus } from '#atproto/repo/repo-status.ts'
import { accountSitesMax } from '#site/limits.ts'
import type { Did } from '#site/site-address.ts'
import { parseSiteName, type SiteName } from '#site/site-name.ts'
import { recordCheck } from '#store/accounts/accounts.ts'
import { inTransaction } from '#store/database/transaction.ts'
import { discoverAccount } from '#store/lifecycle/visited-accounts.ts'
import { listSiteNames } from '#store/sites/sites.ts'
import { type AccountCheck, type CheckContext, checkAccount } from './check-account.ts'

const collection = 'place.sitehost.fs'

export interface AccountReading {
  /** Number of the check. */
  readonly check: number
  readonly status: RepoStatus
  /**
   * Sites in its repository, and those that we know and that may be gone. None of an account that is inactive or does
   * not become known.
   */
  readonly siteNames: readonly SiteName[]
}

/**
 * Looks at an account as a whole: what `checkAccount` does, and which sites there are to be ingested. An
 * account that is not known becomes so when it has sites, as `discoverAccount` has it. Throws when its server cannot
 * be asked.
 */
export async function readAccount(did: Did, context: CheckContext): Promise<AccountReading> {
  const found = await checkAccount(did, context)
  const { check, status, identity } = found
  if (status !== 'active' || identity === null) return { check, status, siteNames: [] }
  const keys = await listRecordKeys(identity, { collection, recordsMax: accountSitesMax }, context)
  const listed = keys.flatMap((key) => parseSiteName(key) ?? [])
  if (listed.length > 0 && !(await meet(identity, found, context))) {
    return { check, status, siteNames: [] }
  }
  // Known ones first: for those there is room.
  const siteNames = new Set([...(await listSiteNames(context.db, did)), ...listed])
  return { check, status, siteNames: [...siteNames] }
}

/** False: it is not known, and is not to be. */
function meet(
  { did, pds }: Identity,
  { check, handle = null }: Pick<AccountCheck, 'check' | 'handle'>,
  { db, now }: CheckContext,
): Promise<boolean> {
  return inTransaction(db, async (transaction) => {
    if (!(await discoverAccount(transaction, { did, pds, handle }, now()))) return false
    await recordCheck(transaction, { did, check, status: 'active' }, now())
    return true
  })
}
