import type { Migration } from 'kysely'
import { sqlMigration } from './sql-migration.ts'

/**
 * Sites that wait for their server's share of the lanes do so in a line of their own, where nobody else has to look past them; and
 * an event brings what failed back no earlier than `not_before`.
 */
export function ingestLines(): Migration {
  return sqlMigration([
    'alter table ingest_queue add column line text',
    'alter table ingest_queue add column not_before bigint not null default 0',
    'create index ingest_queue_free on ingest_queue (next_attempt_at, did, name) where line is null',
    'create index ingest_queue_lines on ingest_queue (line, next_attempt_at, did, name) where line is not null',
  ])
}
