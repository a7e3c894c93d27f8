import type { Did, SiteAddress } from '#site/site-address.ts'
import { appendHostChange } from './changes.ts'
import type { Db } from './database.ts'
import { inTransaction } from './transaction.ts'

/**
 * The site that a claimed and mapped subdomain, or a verified and mapped custom domain, leads to. `host` is
 * canonical: lower case, without port and trailing dot. Whether there is such a site is not looked at.
 */
export async function findSiteByHost(db: Db, host: string): Promise<SiteAddress | null> {
  const row = await mappedHosts(db).where('domain', '=', host).executeTakeFirst()
  return row?.site ? { did: row.did, name: row.site } : null
}

/**
 * Every host that `findSiteByHost` knows, in their order, a page at a time: those after `after`.
 */
export async function listMappedHosts(
  db: Db,
  { after = '', limit = 1000 }: { after?: string; limit?: number } = {},
): Promise<string[]> {
  const rows = await mappedHosts(db)
    .where('domain', '>', after)
    .orderBy('domain')
    .limit(limit)
    .execute()
  return rows.map(({ domain }) => domain)
}

/** Whether the account has a subdomain or a custom domain, verified or not. */
export async function hasDomains(db: Db, did: Did): Promise<boolean> {
  const row = await db
    .selectFrom('subdomains')
    .select('domain')
    .where('did', '=', did)
    .unionAll(db.selectFrom('customDomains').select('domain').where('did', '=', did))
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** Has every domain that leads to this site lead nowhere. */
export function unmapSite(db: Db, { did, name }: SiteAddress, now: number): Promise<void> {
  return inTransaction(db, async (transaction) => {
    const hosts: string[] = []
    for (const table of ['subdomains', 'customDomains'] as const) {
      const rows = await transaction
        .updateTable(table)
        .set({ site: null, updatedAt: now })
        .where('did', '=', did)
        .where('site', '=', name)
        .returning('domain')
        .execute()
      hosts.push(...rows.map(({ domain }) => domain))
    }
    for (const host of hosts) await appendHostChange(transaction, { did, host }, now)
  })
}

function mappedHosts(db: Db) {
  const subdomains = db.selectFrom('subdomains').select(['domain', 'did', 'site'])
  const verified = db
    .selectFrom('customDomains')
    .select(['domain', 'did', 'site'])
    .where('verified', '=', 1)
  return db
    .selectFrom(subdomains.unionAll(verified).as('hosts'))
    .selectAll()
    .where('site', 'is not', null)
}
