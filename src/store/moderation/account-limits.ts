import type { SiteLimits } from '#site/limits.ts'
import type { Did } from '#site/site-address.ts'
import type { Db } from '#store/database/database.ts'
import { prepared } from '#store/database/prepared.ts'

/** How much one account may use here; undefined: no limit but those of every account. */
export type AccountLimits = {
  readonly [Limit in 'accountSitesMax' | 'accountBytesMax' | 'uploadsPerDayMax']?:
    | SiteLimits[Limit]
    | undefined
}

/** An account's own limits; null: the default of the setting. */
export interface LimitOverrides {
  readonly sitesMax: number | null
  readonly bytesMax: number | null
  readonly uploadsPerDayMax: number | null
}

export const noOverrides: LimitOverrides = {
  sitesMax: null,
  bytesMax: null,
  uploadsPerDayMax: null,
}

export async function findLimitOverrides(db: Db, did: Did): Promise<LimitOverrides> {
  const { rows } = await selectOverrides(db, { did })
  return rows[0] ?? noOverrides
}

const selectOverrides = prepared<{ did: Did }, LimitOverrides>((db, { did }) =>
  db
    .selectFrom('accountLimits')
    .select(['sitesMax', 'bytesMax', 'uploadsPerDayMax'])
    .where('did', '=', did),
)

/** The limits that hold for this account. */
export async function limitsOfAccount(
  db: Db,
  did: Did,
  defaults: AccountLimits,
): Promise<AccountLimits> {
  const { sitesMax, bytesMax, uploadsPerDayMax } = await findLimitOverrides(db, did)
  return {
    accountSitesMax: sitesMax ?? defaults.accountSitesMax,
    accountBytesMax: bytesMax ?? defaults.accountBytesMax,
    uploadsPerDayMax: uploadsPerDayMax ?? defaults.uploadsPerDayMax,
  }
}

/** Sets all of the account's own limits. */
export async function putLimitOverrides(
  db: Db,
  did: Did,
  overrides: LimitOverrides,
): Promise<void> {
  const { sitesMax, bytesMax, uploadsPerDayMax } = overrides
  const row = { did, sitesMax, bytesMax, uploadsPerDayMax }
  await db
    .insertInto('accountLimits')
    .values(row)
    .onConflict((conflict) => conflict.column('did').doUpdateSet(row))
    .execute()
}
