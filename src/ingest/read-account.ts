import type { Identity } from '#atproto/identity/identity.ts'
import { listRecordKeys } from '#atproto/repo/list-records.ts'
import type { RepoStatus } from '#atproto/repo/repo-status.ts'
import { accountSitesMax } from '#site/limits.ts'
import { ownNamespace } from '#site/namespace.ts'
import type { Did } from '#site/site-address.ts'
import { type SiteName, siteNameIn } from '#site/site-name.ts'
import { recordCheck } from '#store/accounts/account-status.ts'
import { inTransaction } from '#store/database/transaction.ts'
import { discoverAccount } from '#store/lifecycle/visited-accounts.ts'
import { listSiteNames } from '#store/sites/sites.ts'
import { type AccountCheck, type CheckContext, checkAccount } from './check-account.ts'

export interface AccountReading {
  /** Number of the check, from `beginCheck`. */
  readonly check: number
  readonly status: RepoStatus
  /** Sites in the repository, and stored ones, which may be gone. Empty if the account is inactive or stays unknown. */
  readonly siteNames: readonly SiteName[]
  /** Null: nothing is to be read. */
  readonly identity: Identity | null
}

/**
 * Checks an account as `checkAccount` does and lists the sites to ingest. An unknown account with sites becomes known,
 * subject to `discoverAccount`. Throws when its server is unreachable.
 */
export async function readAccount(did: Did, context: CheckContext): Promise<AccountReading> {
  const found = await checkAccount(did, context)
  const { check, status, identity } = found
  if (status !== 'active' || identity === null)
    return { check, status, siteNames: [], identity: null }
  const listed: SiteName[] = []
  for (const namespace of [ownNamespace, ...(context.alsoServe ?? [])]) {
    const collection = { collection: namespace.fs, recordsMax: accountSitesMax }
    const keys = await listRecordKeys(identity, collection, context)
    listed.push(...keys.flatMap((key) => siteNameIn(namespace, key) ?? []))
  }
  if (listed.length > 0 && !(await meet(identity, found, context))) {
    return { check, status, siteNames: [], identity: null }
  }
  // Stored sites first: they are within the quota.
  const siteNames = new Set([...(await listSiteNames(context.db, did)), ...listed])
  return { check, status, siteNames: [...siteNames], identity }
}

/** False: the account does not become known. */
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
