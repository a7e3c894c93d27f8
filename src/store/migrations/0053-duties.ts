import type { MigrationSql } from './sql-migration.ts'

/** Background work that one instance does for all: its row stays when a holder ends, so that its epoch grows. */
export const duties: MigrationSql = ({ text }) => [
  `create table duties (
    name ${text} primary key,
    holder ${text} not null,
    epoch bigint not null,
    leased_until bigint not null
  )`,
]
