import type { SiteAddress } from '#site/site-address.ts'
import type { Db } from '#store/database/database.ts'
import { findSite, findSiteByLabel, type ServedSite } from '#store/sites/sites.ts'

/** What visitors of this site get at the label that is its own; null: nothing. */
export async function findServedSite(db: Db, address: SiteAddress): Promise<ServedSite | null> {
  const site = await findSite(db, address)
  return site && (await findSiteByLabel(db, site.label))
}
