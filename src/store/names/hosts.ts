import { type NotNull, type SqlBool, sql } from 'kysely'
import type { Did, SiteAddress } from '#site/site-address.ts'
import type { SiteName } from '#site/site-name.ts'
import { isOfSites } from '#store/database/among.ts'
import { appendHostChange } from '#store/database/changes.ts'
import type { Db } from '#store/database/database.ts'
import { planned } from '#store/database/prepared.ts'
import { primaryDomainOf } from '#store/database/primary-domain-of.ts'
import { inTransaction, lockUntilCommit } from '#store/database/transaction.ts'
import { notTakenDown } from '#store/moderation/not-taken-down.ts'
import { mappedHosts } from './mapped-hosts.ts'
import { primarySubject } from './primary-domain.ts'

/** A host that leads to a site, which may not exist. */
export interface MappedHost {
  readonly did: Did
  readonly site: SiteName
  /** The site's, as `findPrimaryDomain` finds it. */
  readonly primaryDomain: string | null
}

/**
 * Where a mapped subdomain, or a verified and mapped custom domain, leads. `host` is canonical: lower case,
 * without port and trailing dot. One statement: visitors of a host that nobody has visited wait for it.
 */
export async function findMappedHost(db: Db, host: string): Promise<MappedHost | null> {
  const { rows } = await selectHost(db, { host })
  return rows[0] ?? null
}

const selectHost = planned<{ host: string }, MappedHost>((db, { host }) =>
  mappedHosts(db)
    .clearSelect()
    .select(['did', 'site'])
    .select(({ ref }) => primaryDomainOf(ref('hosts.did'), ref('hosts.site')).as('primaryDomain'))
    .$narrowType<{ site: NotNull }>()
    .where('domain', '=', host),
)

/** The site that `findMappedHost` finds. */
export async function findSiteByHost(db: Db, host: string): Promise<SiteAddress | null> {
  const row = await findMappedHost(db, host)
  return row && { did: row.did, name: row.site }
}

/**
 * A page of the hosts that `findSiteByHost` finds and whose sites are not taken down, in their order: at most `limit`
 * after `after`.
 */
export async function listMappedHosts(
  db: Db,
  { after = '', limit = 1000 }: { after?: string; limit?: number } = {},
): Promise<string[]> {
  const read = async (domains: typeof subdomains): Promise<string[]> => {
    const rows = await domains
      .select('domain')
      .where('domain', '>', after)
      .where('site', 'is not', null)
      .where(notTakenDown('hosts.did', 'hosts.site'))
      .orderBy('domain')
      .limit(limit)
      .execute()
    return rows.map(({ domain }) => domain)
  }
  const subdomains = db.selectFrom('subdomains as hosts')
  // Of the columns that both have. The condition is in the words of its index.
  const custom = db.selectFrom('customDomains as hosts').where(sql<SqlBool>`verified = 1`)
  // Each by its index: of both together, PostgreSQL sorts all for every page.
  const domains = [
    ...(await read(subdomains)),
    ...(await read(custom as unknown as typeof subdomains)),
  ]
  return domains.sort().slice(0, limit)
}

/** The hosts among these that `listMappedHosts` lists, with their accounts. At most as many as `chunksOf` yields. */
export async function mappedHostsAmong(
  db: Db,
  hosts: readonly string[],
): Promise<[host: string, did: Did][]> {
  if (hosts.length === 0) return []
  const rows = await mappedHosts(db)
    .where('domain', 'in', hosts)
    .where(notTakenDown('hosts.did', 'hosts.site'))
    .execute()
  return rows.map(({ domain, did }) => [domain, did])
}

/** A subdomain, and the site that it leads to. */
export interface MappedSubdomain {
  readonly did: Did
  readonly domain: string
  readonly site: SiteName
}

/** The subdomains that lead to these sites. At most as many as `chunksOf` yields. */
export async function listSubdomainsOf(
  db: Db,
  sites: readonly SiteAddress[],
): Promise<MappedSubdomain[]> {
  return sites.length === 0 ? [] : await mappedSubdomains(db).where(isOfSites(sites)).execute()
}

/** Those among these hosts that are subdomains and lead to a site. At most as many as `chunksOf` yields. */
export async function mappedSubdomainsAmong(
  db: Db,
  hosts: readonly string[],
): Promise<MappedSubdomain[]> {
  return hosts.length === 0 ? [] : await mappedSubdomains(db).where('domain', 'in', hosts).execute()
}

const mappedSubdomains = (db: Db) =>
  db
    .selectFrom('subdomains')
    .select(['did', 'domain', 'site'])
    .where('site', 'is not', null)
    .$narrowType<{ site: SiteName }>()

/** The hosts that lead to the sites with these labels, served or not. At most as many as `chunksOf` yields. */
export async function listHostsOfLabels(db: Db, labels: readonly string[]): Promise<string[]> {
  if (labels.length === 0) return []
  const rows = await mappedHosts(db)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('sites')
          .select('sites.label')
          .whereRef('sites.did', '=', 'hosts.did')
          .whereRef('sites.name', '=', 'hosts.site')
          .where('sites.label', 'in', labels),
      ),
    )
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

/** Unmaps every domain that leads to this site. */
export function unmapSite(db: Db, { did, name }: SiteAddress, now: number): Promise<void> {
  return inTransaction(db, async (transaction) => {
    // `setPrimaryDomain` changes both tables too, in another order.
    await lockUntilCommit(transaction, primarySubject({ did, name }))
    const hosts: string[] = []
    for (const table of ['subdomains', 'customDomains'] as const) {
      const rows = await transaction
        .updateTable(table)
        .set({ site: null, isPrimary: 0, updatedAt: now })
        .where('did', '=', did)
        .where('site', '=', name)
        .returning('domain')
        .execute()
      hosts.push(...rows.map(({ domain }) => domain))
    }
    for (const host of hosts) await appendHostChange(transaction, host, now)
  })
}
