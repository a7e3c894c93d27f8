import type { MigrationSql } from './sql-migration.ts'

/** What is still to be removed of versions that their owners forget. */
export const unfinishedForgets: MigrationSql = ({ text }) => [
  `create table unfinished_forgets (
    did ${text} not null,
    site ${text} not null,
    version ${text} not null,
    manifest ${text},
    hashes ${text} not null,
    begun_at bigint not null,
    primary key (did, site, version)
  )`,
  'create index unfinished_forgets_by_time on unfinished_forgets (begun_at)',
]
