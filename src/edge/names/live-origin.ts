import { type SiteAddress, siteLabel } from '#site/site-address.ts'
import type { Db } from '#store/database/database.ts'
import { findPrimaryDomain } from '#store/names/primary-domain.ts'

export interface OriginContext {
  readonly baseDomain: string
  readonly db: Db
  /** The origin at which visitors reach a host. */
  readonly originOf: (host: string) => string
}

/** The origin at which visitors find a site as it is now: of its primary address, or of its own host. */
export async function findLiveOrigin(
  { did, name }: SiteAddress,
  { baseDomain, db, originOf }: OriginContext,
): Promise<string> {
  const primary = await findPrimaryDomain(db, { did, name })
  return originOf(primary ?? `${siteLabel({ did, name })}.${baseDomain}`)
}
