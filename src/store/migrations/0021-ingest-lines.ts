import type { MigrationSql } from './sql-migration.ts'

/**
 * Sites that wait for their server's share of the lanes wait in its line, so that nobody else reads past them. An event
 * makes what failed due no earlier than `not_before`.
 */
export const ingestLines: MigrationSql = () => [
  'alter table ingest_queue add column line text',
  'alter table ingest_queue add column not_before bigint not null default 0',
  'create index ingest_queue_free on ingest_queue (next_attempt_at, did, name) where line is null',
  'create index ingest_queue_lines on ingest_queue (line, next_attempt_at, did, name) where line is not null',
]
