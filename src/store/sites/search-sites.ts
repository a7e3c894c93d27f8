import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { parseDid, type SiteAddress } from '#site/site-address.ts'
import { containsText } from '#store/database/contains-text.ts'
import type { Db } from '#store/database/database.ts'
import { beginsWith, firstMatches, isWithin, type Key, skipRows } from '#store/database/search.ts'

/**
 * `offline`: it or its account is taken down. `hidden`: its account is not active. `refused`: its newest version is.
 * `parked`: reading it was given up.
 */
export type SiteState = 'live' | 'refused' | 'hidden' | 'offline' | 'parked'

interface SiteSearch {
  /**
   * A part of the name, the DID or the label; or the beginning of the owner's handle, or of a domain that leads to the
   * site. Empty: every site.
   */
  readonly search: string
  readonly state: SiteState | null
  readonly after: Key | null
  readonly limit: number
}

/** A site in a list. */
export interface ListedSite extends SiteAddress {
  readonly createdAt: number
}

const order = ['createdAt', 'did', 'name'] as const

/** Sites that their owners have not removed, newest first. */
export async function searchSites(
  db: Db,
  { search, state, ...page }: SiteSearch,
): Promise<ListedSite[]> {
  return await firstMatches(db, {
    ...page,
    looksAtAll: (search !== '' && parseDid(search) === null) || state !== null,
    keyAt: (after, rows) => keyAt(db, after, rows),
    matchesIn: async ({ limit, ...stretch }) =>
      await newest(db)
        .where(isWithin(order, stretch, 'desc'))
        .$if(search !== '', (query) => query.where(matches(search)))
        .$if(state !== null, (query) => query.where(isIn[state ?? 'live']))
        .limit(limit)
        .execute(),
  })
}

/** By their number in the list, newest first. */
export async function listNewestSites(
  db: Db,
  { limit, offset }: { limit: number; offset: number },
): Promise<ListedSite[]> {
  const skipped = await skipRows(db, (after, rows) => keyAt(db, after, rows), offset)
  if (skipped === null) return []
  const { after, offset: rest } = skipped
  const rows = newest(db).where(isWithin(order, { after, upTo: null }, 'desc'))
  return await rows.limit(limit).offset(rest).execute()
}

async function keyAt(db: Db, after: Key | null, rows: number): Promise<Key | null> {
  const [row] = await newest(db)
    .where(isWithin(order, { after, upTo: null }, 'desc'))
    .limit(1)
    .offset(rows - 1)
    .execute()
  return row === undefined ? null : siteKey(row)
}

export const siteKey = ({ createdAt, did, name }: ListedSite): Key => [createdAt, did, name]

const newest = (db: Db) =>
  db
    .selectFrom('sites')
    .select(order)
    .where('label', 'is not', null)
    .orderBy('createdAt', 'desc')
    .orderBy('did', 'desc')
    .orderBy('name', 'desc')

function matches(text: string): RawBuilder<SqlBool> {
  const owner = parseDid(text)
  if (owner !== null) return sql<SqlBool>`did = ${owner}`
  const lower = text.toLowerCase()
  const byDomain = (table: string) =>
    sql`(did, name) in (select did, site from ${sql.table(table)} where ${beginsWith('domain', lower)})`
  return sql<SqlBool>`(
    ${containsText(['name', 'did', 'label'], text)}
    or did in (select did from accounts where ${beginsWith('handle', lower)})
    or ${byDomain('subdomains')}
    or ${byDomain('custom_domains')}
  )`
}

const isOffline = sql<SqlBool>`exists (
  select 1 from takedowns where takedowns.did = sites.did and takedowns.site in ('', sites.name)
)`
const isHidden = sql<SqlBool>`did in (select did from accounts where status != 'active')`
const isRefused = sql<SqlBool>`(did, name) in (
  select did, name from versions where state = 'invalid' and not exists (
    select 1 from versions as later
    where later.did = versions.did and later.name = versions.name and later.rev > versions.rev
  )
)`

const isIn: Record<SiteState, RawBuilder<SqlBool>> = {
  offline: isOffline,
  hidden: sql<SqlBool>`(not ${isOffline} and ${isHidden})`,
  refused: sql<SqlBool>`(not ${isOffline} and not ${isHidden} and ${isRefused})`,
  live: sql<SqlBool>`(not ${isOffline} and not ${isHidden} and not ${isRefused})`,
  // The number is `parkedAt`, as in the index.
  parked: sql<SqlBool>`(did, name) in (
    select did, site from work_items where kind = 'site' and next_attempt_at = 9007199254740991
  )`,
}
