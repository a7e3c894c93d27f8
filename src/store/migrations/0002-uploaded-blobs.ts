import type { MigrationSql } from './sql-migration.ts'

export const uploadedBlobs: MigrationSql = ({ text }) => [
  `create table uploaded_blobs (
    did ${text} not null,
    decoded_hash ${text} not null,
    blob ${text} not null,
    coding ${text} not null,
    base64 bigint not null,
    uploaded_at bigint not null,
    primary key (did, decoded_hash)
  )`,
  `create index uploaded_blobs_by_time on uploaded_blobs (uploaded_at)`,
]
