import type { MigrationSql } from './sql-migration.ts'

/** Rows of an account and day are counted before more are added. */
export const siteVisitsByAccount: MigrationSql = () => [
  'create index site_visits_by_day_and_account on site_visits (day, did)',
  'drop index site_visits_by_day',
]
