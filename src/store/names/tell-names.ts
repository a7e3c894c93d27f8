import type { SiteAddress } from '#site/site-address.ts'
import { appendChange, appendHostChange } from '#store/database/changes.ts'
import type { Db } from '#store/database/database.ts'
import { mappedHosts } from './mapped-hosts.ts'

/** Tells the edge that the names of the site may lead elsewhere now, or its primary address is another. */
export async function tellNames(db: Db, site: SiteAddress, now: number): Promise<void> {
  const rows = await mappedHosts(db)
    .where('did', '=', site.did)
    .where('site', '=', site.name)
    .execute()
  for (const { domain } of rows) await appendHostChange(db, domain, now)
  await appendChange(db, site, now)
}
