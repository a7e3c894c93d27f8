import type { Migration } from 'kysely'
import { sqlMigration } from './sql-migration.ts'

/**
 * Which site comes next, and whose sites are worked on, is asked with every site that is taken: neither may
 * take longer when the queue is long.
 */
export function ingestLeases(): Migration {
  return sqlMigration([
    'create index ingest_queue_leased on ingest_queue (leased_until, did) where leased_until > 0',
    'drop index ingest_queue_by_attempt',
    'create index ingest_queue_in_order on ingest_queue (next_attempt_at, did, name)',
  ])
}
