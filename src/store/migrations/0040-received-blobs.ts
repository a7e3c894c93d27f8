import type { MigrationSql } from './sql-migration.ts'

/** Blobs whose bytes an account has shown: uploaded here, or sent by its server. */
export const receivedBlobs: MigrationSql = ({ text }) => [
  `create table received_blobs (
    did ${text} not null,
    cid ${text} not null,
    coding ${text} not null,
    base64 bigint not null,
    received_at bigint not null,
    primary key (did, cid, coding, base64)
  )`,
  'create index received_blobs_by_time on received_blobs (received_at)',
]
