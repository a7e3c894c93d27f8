import type { MigrationSql } from './sql-migration.ts'

/** The last jobs of an account, for its details in the administrator's area. */
export const jobsByAccount: MigrationSql = () => [
  'create index jobs_by_account on jobs (did, created_at, id)',
]
