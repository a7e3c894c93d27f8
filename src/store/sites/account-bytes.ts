import { overAccountBytes, type SiteLimits } from '#site/limits.ts'
import type { SiteAddress } from '#site/site-address.ts'
import type { Db } from '#store/database/database.ts'

/**
 * What to tell the owner of a site that takes so many bytes when that is more than the account's quota leaves; else
 * null. Counted as in `versions.bytes`: every file of the live versions, decoded.
 */
export async function findQuotaProblem(
  db: Db,
  address: SiteAddress,
  bytes: number,
  { accountBytesMax }: Pick<SiteLimits, 'accountBytesMax'>,
): Promise<string | null> {
  if (accountBytesMax === undefined) return null
  const others = await bytesOfOtherSites(db, address)
  return others + bytes <= accountBytesMax ? null : overAccountBytes(accountBytesMax)
}

/** What the live versions of the account's other sites hold. */
async function bytesOfOtherSites(db: Db, { did, name }: SiteAddress): Promise<number> {
  const { bytes } = await db
    .selectFrom('versions')
    .select(({ fn }) => fn.sum<number | null>('bytes').as('bytes'))
    .where('did', '=', did)
    .where('name', '!=', name)
    .where('state', '=', 'live')
    .executeTakeFirstOrThrow()
  return Number(bytes ?? 0)
}
