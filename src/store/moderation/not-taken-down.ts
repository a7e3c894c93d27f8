import { type RawBuilder, type SqlBool, sql } from 'kysely'

/** Whether neither a row's site nor its account is taken down. The columns as `sites.did`. */
export function notTakenDown(did: string, site: string): RawBuilder<SqlBool> {
  return sql<SqlBool>`not exists (
    select 1 from takedowns
    where takedowns.did = ${sql.ref(did)} and takedowns.site in ('', ${sql.ref(site)})
  )`
}
