import type { MigrationSql } from './sql-migration.ts'

/** Taking a site asks which one comes next and whose are leased: neither may take longer when the queue is long. */
export const ingestLeases: MigrationSql = () => [
  'create index ingest_queue_leased on ingest_queue (leased_until, did) where leased_until > 0',
  'drop index ingest_queue_by_attempt',
  'create index ingest_queue_in_order on ingest_queue (next_attempt_at, did, name)',
]
