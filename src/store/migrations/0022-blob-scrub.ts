import type { MigrationSql } from './sql-migration.ts'

/** How far the scrub has read all stored bytes. */
export const blobScrub: MigrationSql = ({ text }) => [
  `create table blob_scrub (
    id bigint primary key,
    begun_at bigint not null,
    after_hash ${text} not null
  )`,
]
