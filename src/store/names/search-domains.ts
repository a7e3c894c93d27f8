import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { type Did, parseDid } from '#site/site-address.ts'
import type { SiteName } from '#site/site-name.ts'
import { containsText } from '#store/database/contains-text.ts'
import type { Db } from '#store/database/database.ts'
import { firstMatches, isWithin, type Key, type Stretch } from '#store/database/search.ts'

/** A name below the base domain, or a custom domain. */
export interface ListedDomain {
  /** Of a custom domain. */
  readonly id: string | null
  readonly domain: string
  readonly did: Did
  readonly site: SiteName | null
  readonly verified: boolean
  readonly checkedAt: number | null
  readonly ownershipWarning: string | null
  readonly pointingWarning: string | null
  readonly createdAt: number
}

interface DomainSearch {
  /** A part of the domain, or the whole DID of its owner; empty: every domain. */
  readonly search: string
  readonly after: Key | null
  readonly limit: number
}

const order = ['domain', 'did'] as const

/** Both kinds, in the order of their names. */
export async function searchDomains(
  db: Db,
  { search, ...page }: DomainSearch,
): Promise<ListedDomain[]> {
  const keyIn = async (
    table: 'subdomains' | 'customDomains',
    after: Key | null,
    rows: number,
  ): Promise<Key | null> => {
    const row = await db
      .selectFrom(table)
      .select(order)
      .where(isWithin(order, { after, upTo: null }, 'asc'))
      .orderBy('domain')
      // A subdomain has one owner: SQLite would sort all of them by what no index of them has.
      .$if(table === 'customDomains', (rows) => rows.orderBy('did'))
      .limit(1)
      .offset(rows - 1)
      .executeTakeFirst()
    return row === undefined ? null : domainKey(row)
  }
  return await firstMatches(db, {
    ...page,
    looksAtAll: search !== '' && parseDid(search) === null,
    // The nearer one: up to there both tables have at most that many rows.
    keyAt: async (after, rows) =>
      first(await keyIn('subdomains', after, rows), await keyIn('customDomains', after, rows)),
    matchesIn: async (stretch) => {
      const found = [
        ...(await subdomains(db, search, stretch)),
        ...(await customDomains(db, search, stretch)),
      ]
      return found.toSorted((a, b) => compare(domainKey(a), domainKey(b))).slice(0, stretch.limit)
    },
  })
}

/** The newest ones of both kinds, newest first. */
export async function listNewestDomains(db: Db, limit: number): Promise<ListedDomain[]> {
  const own = await selectSubdomains(db)
    .orderBy('createdAt', 'desc')
    .orderBy('domain', 'desc')
    .limit(limit)
    .execute()
  const custom = await selectCustomDomains(db)
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
  return [...own.map(ownDomain), ...custom.map(customDomain)]
    .toSorted((a, b) => b.createdAt - a.createdAt)
    .slice(0, limit)
}

export const domainKey = ({ did, domain }: Pick<ListedDomain, 'did' | 'domain'>): Key => [
  domain,
  did,
]

function first(a: Key | null, b: Key | null): Key | null {
  if (a === null || b === null) return a ?? b
  return compare(a, b) < 0 ? a : b
}

// Domains and DIDs are ASCII: the databases compare them alike.
function compare(a: Key, b: Key): number {
  const [x, y] = [a.join(' '), b.join(' ')]
  if (x === y) return 0
  return x < y ? -1 : 1
}

function matches(search: string): RawBuilder<SqlBool> {
  const did = parseDid(search)
  return did === null ? containsText(['domain'], search) : sql<SqlBool>`did = ${did}`
}

async function subdomains(
  db: Db,
  search: string,
  { limit, ...stretch }: Stretch,
): Promise<ListedDomain[]> {
  const rows = await selectSubdomains(db)
    .where(isWithin(order, stretch, 'asc'))
    .$if(search !== '', (query) => query.where(matches(search)))
    .orderBy('domain')
    .limit(limit)
    .execute()
  return rows.map(ownDomain)
}

async function customDomains(
  db: Db,
  search: string,
  { limit, ...stretch }: Stretch,
): Promise<ListedDomain[]> {
  const rows = await selectCustomDomains(db)
    .where(isWithin(order, stretch, 'asc'))
    .$if(search !== '', (query) => query.where(matches(search)))
    .orderBy('domain')
    .orderBy('did')
    .limit(limit)
    .execute()
  return rows.map(customDomain)
}

const selectSubdomains = (db: Db) =>
  db.selectFrom('subdomains').select(['domain', 'did', 'site', 'createdAt'])

const selectCustomDomains = (db: Db) =>
  db
    .selectFrom('customDomains')
    .select(['id', 'domain', 'did', 'site', 'verified', 'checkedAt', 'createdAt'])
    .select(['ownershipWarning', 'pointingWarning'])

function ownDomain(row: Pick<ListedDomain, 'domain' | 'did' | 'site' | 'createdAt'>): ListedDomain {
  return {
    ...row,
    id: null,
    verified: true,
    checkedAt: null,
    ownershipWarning: null,
    pointingWarning: null,
  }
}

const customDomain = <Row extends { verified: 0 | 1 }>({ verified, ...row }: Row) => ({
  ...row,
  verified: verified === 1,
})
