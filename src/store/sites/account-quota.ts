import type { Transaction } from 'kysely'
import { accountSitesMax, overAccountBytes, type SiteLimits } from '#site/limits.ts'
import type { SiteAddress } from '#site/site-address.ts'
import type { Db } from '#store/database/database.ts'
import type { Schema } from '#store/database/schema.ts'

/**
 * The problem, for the owner, if a site of so many bytes exceeds the account's quota together with the account's other
 * sites; else null. Counts bytes as `versions.bytes` does: every file of the live versions, decoded.
 */
export async function findQuotaProblem(
  db: Db,
  { did, name }: SiteAddress,
  bytes: number,
  { accountBytesMax }: Pick<SiteLimits, 'accountBytesMax'>,
): Promise<string | null> {
  if (accountBytesMax === undefined) return null
  const others = await db
    .selectFrom('versions')
    .select(({ fn }) => fn.sum<number | null>('bytes').as('bytes'))
    .where('did', '=', did)
    .where('name', '!=', name)
    .where('state', '=', 'live')
    .executeTakeFirstOrThrow()
  const isWithin = Number(others.bytes ?? 0) + bytes <= accountBytesMax
  return isWithin ? null : overAccountBytes(accountBytesMax)
}

/** Deletes a site with neither a version nor a removal if its account has more sites than it may; true when it did. */
export async function deleteIfOverQuota(
  transaction: Transaction<Schema>,
  { did, name }: SiteAddress,
): Promise<boolean> {
  const versions = transaction
    .selectFrom('versions')
    .select('id')
    .where('did', '=', did)
    .where('name', '=', name)
  const siteCount = transaction
    .selectFrom('sites')
    .select(({ fn }) => fn.countAll().as('count'))
    .where('did', '=', did)
  const { numDeletedRows } = await transaction
    .deleteFrom('sites')
    .where('did', '=', did)
    .where('name', '=', name)
    .where('removedRev', 'is', null)
    .where(({ exists, not }) => not(exists(versions)))
    .where(siteCount, '>', accountSitesMax)
    .executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}
