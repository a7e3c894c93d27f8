import type { Migration } from 'kysely'
import { sqlMigration } from './sql-migration.ts'

/**
 * Has every live site looked at once more: snapshots hold settings and rules now. Until then a site is
 * served as before, from the snapshot it has.
 */
export function sitesAnew(): Migration {
  return sqlMigration([
    // SQLite needs the `where`: without one it takes `on conflict` for a join.
    `insert into ingest_queue
      (did, name, enqueued_at, attempts, next_attempt_at, leased_until, last_error, token)
      select did, name, updated_at, 0, updated_at, 0, null, 'sites-anew'
      from sites where live_version_id is not null
      on conflict do nothing`,
  ])
}
