import type { MigrationSql } from './sql-migration.ts'

/** When accounts began uploads, for a day: jobs end with their account, and empty sites have none. */
export const begunUploads: MigrationSql = ({ sequence, text }) => [
  `create table begun_uploads (
    id ${sequence},
    did_hash ${text} not null,
    at bigint not null
  )`,
  'create index begun_uploads_of_account on begun_uploads (did_hash, at)',
  'create index begun_uploads_by_time on begun_uploads (at)',
]
