import type { MigrationSql } from './sql-migration.ts'

/** What one process may do at a time, which process does it, and until when. */
export const leases: MigrationSql = ({ text }) => [
  `create table leases (
    name ${text} primary key,
    holder ${text} not null,
    leased_until bigint not null
  )`,
]
