import { accountSitesMax } from '#site/limits.ts'
import type { Did } from '#site/site-address.ts'
import type { Db } from '#store/database/database.ts'
import { type AccountLimits, limitsOfAccount } from '#store/moderation/account-limits.ts'
import { uploadsWithinDay } from '#store/queues/begun-uploads.ts'
import { countPresentSites, liveBytes } from '#store/sites/account-quota.ts'

/** `max` null: no limit but those of a site. */
export interface Used {
  readonly used: number
  readonly max: number | null
}

export interface AccountUsage {
  readonly sites: Used
  /** Of the files of all live versions, decoded. */
  readonly bytes: Used
  /** Begun within 24 hours. */
  readonly uploads: Used
}

/** How much an account uses of what it may, counted as the limits count it. */
export async function readAccountUsage(
  db: Db,
  did: Did,
  { limits, now }: { readonly limits: AccountLimits; readonly now: number },
): Promise<AccountUsage> {
  const own = await limitsOfAccount(db, did, limits)
  return {
    sites: { used: await countPresentSites(db, did), max: own.accountSitesMax ?? accountSitesMax },
    bytes: { used: await liveBytes(db, did), max: own.accountBytesMax ?? null },
    uploads: { used: await uploadsWithinDay(db, did, now), max: own.uploadsPerDayMax ?? null },
  }
}
