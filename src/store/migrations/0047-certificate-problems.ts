import type { MigrationSql } from './sql-migration.ts'

/** Why the last order of a certificate failed, apart from the authority's words. */
export const certificateProblems: MigrationSql = ({ text }) => [
  `alter table certificates add column last_problem ${text}`,
  `update certificates set last_problem = 'other' where last_error is not null`,
]
