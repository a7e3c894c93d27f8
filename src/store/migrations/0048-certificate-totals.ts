import type { MigrationSql } from './sql-migration.ts'

/** To count certificates by state without reading their chains. */
export const certificateTotals: MigrationSql = () => [
  'create index certificates_by_state on certificates (is_wanted, last_problem, valid_until, due_at)',
]
