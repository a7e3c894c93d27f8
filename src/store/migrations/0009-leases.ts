import type { MigrationSql } from './sql-migration.ts'

/** Named leases: each is held by one process until it expires. */
export const leases: MigrationSql = ({ text }) => [
  `create table leases (
    name ${text} primary key,
    holder ${text} not null,
    leased_until bigint not null
  )`,
]
