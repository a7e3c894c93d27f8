import type { MigrationSql } from './sql-migration.ts'

/** When a job's next attempt may begin, and when its first one did. */
export const jobsInTurns: MigrationSql = () => [
  'alter table jobs add column due_at bigint',
  'alter table jobs add column started_at bigint',
]
