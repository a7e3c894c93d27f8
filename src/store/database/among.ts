import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { SiteAddress } from '#site/site-address.ts'

/** Whether the columns together have the values of one of these rows, of which there is at least one. */
export function isAmong(
  columns: readonly string[],
  rows: readonly (readonly string[])[],
): RawBuilder<SqlBool> {
  const names = sql.join(columns.map((column) => sql.ref(column)))
  const values = sql.join(rows.map((row) => sql`(${sql.join(row)})`))
  return sql<SqlBool>`(${names}) in (values ${values})`
}

/** Whether the columns `did` and `site` name one of these sites, of which there is at least one. */
export const isOfSites = (sites: readonly SiteAddress[]): RawBuilder<SqlBool> =>
  isAmong(
    ['did', 'site'],
    sites.map(({ did, name }) => [did, name]),
  )
