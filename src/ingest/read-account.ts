import type { Identity } from '#atproto/identity.ts'
import { listRecordKeys } from '#atproto/list-record-keys.ts'
import type { RepoStatus } from '#atproto/repo-status.ts'
import { accountSitesMax } from '#site/limits.ts'
import type { Did } from '#site/site-address.ts'
import { parseSiteName, type SiteName } from '#site/site-name.ts'
import { isKnownAccount, recordCheck, upsertAccount } from '#store/accounts.ts'
import { hasLeft } from '#store/departures.ts'
import { listSiteNames } from '#store/sites.ts'
import { type AccountCheck, type CheckContext, checkAccount } from './check-account.ts'

const collection = 'place.sitehost.fs'

export interface AccountReading {
  /** Number of the check. */
  readonly check: number
  readonly status: RepoStatus
  /** Sites in its repository, and those that we know and that may be gone. None of an inactive account. */
  readonly siteNames: readonly SiteName[]
}

/**
 * Looks at an account as a whole: what `checkAccount` does, and which sites there are to be ingested. An
 * account that is not known becomes so when it has sites. Throws when its server cannot be asked.
 */
export async function readAccount(did: Did, context: CheckContext): Promise<AccountReading> {
  const { check, status, identity, handle } = await checkAccount(did, context)
  if (status !== 'active' || identity === null) return { check, status, siteNames: [] }
  const keys = await listRecordKeys(identity, { collection, recordsMax: accountSitesMax }, context)
  const listed = keys.flatMap((key) => parseSiteName(key) ?? [])
  if (listed.length > 0) await meetAccount(identity, { check, handle }, context)
  // Known ones first: for those there is room.
  const siteNames = new Set([...(await listSiteNames(context.db, did)), ...listed])
  return { check, status, siteNames: [...siteNames] }
}

async function meetAccount(
  { did, pds }: Identity,
  { check, handle = null }: Pick<AccountCheck, 'check' | 'handle'>,
  { db, now }: CheckContext,
): Promise<void> {
  if ((await isKnownAccount(db, did)) || (await hasLeft(db, did))) return
  await upsertAccount(db, { did, pds, handle }, now())
  await recordCheck(db, { did, check, status: 'active' }, now())
}
