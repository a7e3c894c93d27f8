import type { Namespace } from '#site/namespace.ts'
import type { SiteAddress } from '#site/site-address.ts'
import type { SiteName } from '#site/site-name.ts'
import { appendChange } from '#store/database/changes.ts'
import type { Db } from '#store/database/database.ts'
import { inTransaction, lockUntilCommit } from '#store/database/transaction.ts'
import { siteSubject } from '#store/sites/record-version.ts'
import { deleteTrafficOf } from '#store/sites/traffic.ts'

/** Listed at a time. */
const pageSize = 100

/**
 * Drops foreign sites of networks that are not served, as if they had never been here: should their network be served
 * again, they are read again. Returns how many were dropped.
 */
export async function dropUnservedSites(
  db: Db,
  served: readonly Namespace[],
  now: number,
): Promise<number> {
  let dropped = 0
  for (;;) {
    const page = await listUnserved(db, served)
    for (const site of page) await dropSite(db, site, now)
    dropped += page.length
    if (page.length < pageSize) return dropped
  }
}

async function listUnserved(db: Db, served: readonly Namespace[]): Promise<SiteAddress[]> {
  let sites = db
    .selectFrom('sites')
    .select(['did', 'name'])
    .where('name', 'like', '%/%' as SiteName)
  for (const { fs } of served) sites = sites.where('name', 'not like', `${fs}/%` as SiteName)
  return await sites.limit(pageSize).execute()
}

function dropSite(db: Db, site: SiteAddress, now: number): Promise<void> {
  const { did, name } = site
  return inTransaction(db, async (transaction) => {
    await lockUntilCommit(transaction, siteSubject(site))
    for (const table of ['versions', 'sites'] as const) {
      const rows = transaction.deleteFrom(table).where('did', '=', did)
      await rows.where('name', '=', name).execute()
    }
    await transaction
      .deleteFrom('workItems')
      .where('kind', '=', 'site')
      .where('did', '=', did)
      .where('site', '=', name)
      .execute()
    await deleteTrafficOf(transaction, site)
    await appendChange(transaction, site, now)
  })
}
