import type { MigrationSql } from './sql-migration.ts'

/** Up to which change a CDN was told what to drop. */
export const cdnPurges: MigrationSql = () => [
  `create table cdn_purges (
    id bigint primary key,
    seq bigint not null
  )`,
]
