import type { MigrationSql } from './sql-migration.ts'

/** Released subdomains, which only their last owner gets back for a time. */
export const keptSubdomains: MigrationSql = ({ text }) => [
  `create table kept_subdomains (
    domain ${text} primary key,
    did_hash ${text} not null,
    released_at bigint not null
  )`,
  `create index kept_subdomains_by_owner on kept_subdomains (did_hash, released_at)`,
  `create index kept_subdomains_by_release on kept_subdomains (released_at)`,
]
