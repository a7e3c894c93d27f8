import type { Did, SiteAddress } from '#site/site-address.ts'
import type { SiteName } from '#site/site-name.ts'
import { appendChange, appendHostChange } from '#store/database/changes.ts'
import type { Db } from '#store/database/database.ts'
import { tellVersions } from '#store/database/tell-versions.ts'
import { mappedHosts } from './mapped-hosts.ts'

interface Name {
  readonly did: Did
  readonly domain: string
  readonly site: SiteName | null
  readonly isPrimary: boolean
}

/** `name` is as before or after its change; if it is a primary domain, the site's other names change too. */
export async function tellEdge(
  db: Db,
  { did, domain, site, isPrimary }: Name,
  now: number,
): Promise<void> {
  await appendHostChange(db, domain, now)
  if (isPrimary && site !== null) await tellNames(db, { did, name: site }, now)
}

/** Tells the edge that the site's names may lead elsewhere now, or that its primary domain is another. */
export async function tellNames(db: Db, site: SiteAddress, now: number): Promise<void> {
  const rows = await mappedHosts(db)
    .where('did', '=', site.did)
    .where('site', '=', site.name)
    .execute()
  for (const { domain } of rows) await appendHostChange(db, domain, now)
  await appendChange(db, site, now)
  await tellVersions(db, site, now)
}

/** As `tellNames`, for all names and all sites of an account. */
export async function tellAccount(db: Db, did: Did, now: number): Promise<void> {
  const hosts = await mappedHosts(db).where('did', '=', did).execute()
  for (const { domain } of hosts) await appendHostChange(db, domain, now)
  const sites = await db.selectFrom('sites').select('name').where('did', '=', did).execute()
  for (const { name } of sites) await appendChange(db, { did, name }, now)
  await tellVersions(db, { did }, now)
}
