import type { Migration } from 'kysely'
import { sqlMigration } from './sql-migration.ts'

/** When a job began to write to the owner's repository: from then on it cannot be cancelled. */
export function jobsWriting(): Migration {
  return sqlMigration(['alter table jobs add column writing_at bigint'])
}
