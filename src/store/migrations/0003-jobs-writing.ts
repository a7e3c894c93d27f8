import type { MigrationSql } from './sql-migration.ts'

/** When a job began to write to the owner's repository: from then on it cannot be cancelled. */
export const jobsWriting: MigrationSql = () => ['alter table jobs add column writing_at bigint']
