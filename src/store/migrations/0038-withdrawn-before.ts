import type { MigrationSql } from './sql-migration.ts'

/** The revision of a site's newest version that has withdrawn earlier ones. */
export const withdrawnBefore: MigrationSql = () => [
  'alter table sites add column withdrawn_before text',
]
