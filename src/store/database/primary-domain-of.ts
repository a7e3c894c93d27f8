import { type Expression, type RawBuilder, sql } from 'kysely'

/** As `findPrimaryDomain`, for a statement that finds something else too: a visitor waits for one in place of two. */
export function primaryDomainOf(
  did: Expression<unknown>,
  site: Expression<unknown>,
): RawBuilder<string | null> {
  const isOfSite = sql`did = ${did} and site = ${site} and is_primary = 1`
  return sql<string | null>`(
    select min(primaries.domain) from (
      select domain from subdomains where ${isOfSite}
      union all
      select domain from custom_domains where ${isOfSite} and verified = 1
    ) as primaries
  )`
}
