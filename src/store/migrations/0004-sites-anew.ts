import type { MigrationSql } from './sql-migration.ts'

/** Reads every live site again: snapshots hold settings and rules now. Until then visitors get the old snapshot. */
export const sitesAnew: MigrationSql = () => [
  // SQLite needs the `where`: without one it takes `on conflict` for a join.
  `insert into ingest_queue
    (did, name, enqueued_at, attempts, next_attempt_at, leased_until, last_error, token)
    select did, name, updated_at, 0, updated_at, 0, null, 'sites-anew'
    from sites where live_version_id is not null
    on conflict do nothing`,
]
