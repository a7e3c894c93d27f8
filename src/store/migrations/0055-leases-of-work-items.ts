import type { MigrationSql } from './sql-migration.ts'

/** Who has taken a work item: another process may have by the time it is finished. */
export const leasesOfWorkItems: MigrationSql = ({ text }) => [
  `alter table work_items add column lease ${text}`,
]
