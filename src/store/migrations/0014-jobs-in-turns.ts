import type { Migration } from 'kysely'
import { sqlMigration } from './sql-migration.ts'

/** When a job's next turn may begin, and when its first one did. */
export function jobsInTurns(): Migration {
  return sqlMigration([
    'alter table jobs add column due_at bigint',
    'alter table jobs add column started_at bigint',
  ])
}
