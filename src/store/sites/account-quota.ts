import type { ExpressionBuilder, RawBuilder, SelectQueryBuilder, Transaction } from 'kysely'
import { accountSitesMax, overAccountBytes } from '#site/limits.ts'
import type { Did, SiteAddress } from '#site/site-address.ts'
import type { Db } from '#store/database/database.ts'
import { prepared } from '#store/database/prepared.ts'
import type { Schema } from '#store/database/schema.ts'
import { type AccountLimits, limitsOfAccount } from '#store/moderation/account-limits.ts'

/**
 * The problem, for the owner, if a site of `bytes` exceeds the account's quota together with the account's other
 * sites; else null. Counts bytes as `versions.bytes` does: every file of the live versions, decoded.
 */
export async function findQuotaProblem(
  db: Db,
  { did, name }: SiteAddress,
  bytes: number,
  defaults: AccountLimits,
): Promise<string | null> {
  const { rows } = await selectQuota(db, { did, name })
  const { ownBytesMax = null, otherBytes = null } = rows[0] ?? {}
  const accountBytesMax = ownBytesMax ?? defaults.accountBytesMax
  if (accountBytesMax === undefined) return null
  const isWithin = Number(otherBytes ?? 0) + bytes <= accountBytesMax
  return isWithin ? null : overAccountBytes(accountBytesMax)
}

interface Quota {
  readonly ownBytesMax: number | null
  readonly otherBytes: number | null
}

/** One statement: ingest asks twice for each site that it reads. */
const selectQuota = prepared<SiteAddress, Quota>((db, { did, name }) =>
  db.selectNoFrom(({ selectFrom }) => [
    selectFrom('accountLimits').select('bytesMax').where('did', '=', did).as('ownBytesMax'),
    sumLiveBytes(selectFrom('versions'), did).where('name', '!=', name).as('otherBytes'),
  ]),
)

/** Of every file of the account's live versions, decoded. */
export async function liveBytes(db: Db, did: Did): Promise<number> {
  const { bytes } = await sumLiveBytes(db.selectFrom('versions'), did).executeTakeFirstOrThrow()
  return Number(bytes ?? 0)
}

const sumLiveBytes = (
  versions: SelectQueryBuilder<Schema, 'versions', object>,
  did: Did | RawBuilder<Did>,
) =>
  versions
    .select(({ fn }) => fn.sum<number | null>('bytes').as('bytes'))
    .where('did', '=', did)
    .where('state', '=', 'live')

/** Sites of an account that are not removed. */
export async function countPresentSites(db: Db, did: Did): Promise<number> {
  const { count } = await db
    .selectFrom('sites')
    .select(({ fn }) => fn.countAll().as('count'))
    .where('did', '=', did)
    .where(isPresent)
    .executeTakeFirstOrThrow()
  return Number(count)
}

// A site that was published again after a removal has both.
const isPresent = ({ eb, or }: ExpressionBuilder<Schema, 'sites'>) =>
  or([eb('removedRev', 'is', null), eb('liveVersionId', 'is not', null)])

/**
 * For a site without versions: deletes it, unless its removal is stored, if its account has more sites than it may; true when it has.
 * An account's own limit does not count removed sites.
 */
export async function deleteIfOverQuota(
  transaction: Transaction<Schema>,
  { did, name }: SiteAddress,
  defaults: AccountLimits,
): Promise<boolean> {
  const { accountSitesMax: sitesMax = accountSitesMax } = await limitsOfAccount(
    transaction,
    did,
    defaults,
  )
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
    .where(({ eb, or }) =>
      or([eb(siteCount, '>', accountSitesMax), eb(siteCount.where(isPresent), '>', sitesMax)]),
    )
    .executeTakeFirstOrThrow()
  if (numDeletedRows > 0n) return true
  // The row of a removed site stays: it says up to which revision nothing of it comes back.
  const others = await siteCount
    .where('name', '!=', name)
    .where(isPresent)
    .executeTakeFirstOrThrow()
  return Number(others.count) >= sitesMax
}
