import { sql } from 'kysely'
import { aggregatesOf } from '#store/database/aggregate.ts'
import type { Db } from '#store/database/database.ts'

/** What the database holds; counted by indexes, a million sites in one to two seconds. */
export interface Totals {
  readonly accounts: number
  /** With at least one version that is stored. */
  readonly sites: number
  readonly subdomains: number
  readonly customDomains: number
  /** Versions that visitors get, unless the account is not active. */
  readonly live: { readonly sites: number; readonly bytes: number }
}

export async function readTotals(db: Db): Promise<Totals> {
  return {
    accounts: await countOf(db, 'accounts', 'did'),
    sites: await countOf(db, 'sites', 'label'),
    subdomains: await countOf(db, 'subdomains', 'domain'),
    customDomains: await countOf(db, 'customDomains', 'id'),
    live: await liveTotals(db),
  }
}

/** Of the rows with this key. */
async function countOf(db: Db, table: string, key: string): Promise<number> {
  const columns = sql`count(*) as count`
  const where = sql`${sql.ref(key)} is not null`
  let all = 0
  for await (const { count } of aggregatesOf<{ count: number }>(db, columns, {
    table,
    key,
    where,
  })) {
    all += Number(count)
  }
  return all
}

async function liveTotals(db: Db): Promise<Totals['live']> {
  const columns = sql`count(*) as sites, sum(bytes) as bytes`
  const live = { table: 'versions', key: 'id', where: sql`state = 'live'` }
  const all = { sites: 0, bytes: 0 }
  for await (const found of aggregatesOf<Totals['live']>(db, columns, live)) {
    all.sites += Number(found.sites)
    all.bytes += Number(found.bytes)
  }
  return all
}
