import type { MigrationSql } from './sql-migration.ts'

/** The instances that share this database, and whose spool has the files of a job or a deploy. */
export const instances: MigrationSql = ({ text }) => [
  `create table instances (
    id ${text} primary key,
    run ${text} not null,
    address ${text} not null,
    roles ${text} not null,
    version ${text} not null,
    started_at bigint not null,
    seen_at bigint not null
  )`,
  `alter table jobs add column instance ${text} not null default ''`,
  `alter table deploys add column instance ${text} not null default ''`,
]
