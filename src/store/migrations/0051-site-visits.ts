import type { MigrationSql } from './sql-migration.ts'

/** Visits of a site on one day, by page, class of status and host of the page before. */
export const siteVisits: MigrationSql = ({ text }) => [
  `create table site_visits (
    did ${text} not null,
    site ${text} not null,
    day bigint not null,
    kind ${text} not null,
    value ${text} not null,
    count bigint not null,
    primary key (did, site, kind, day, value)
  )`,
  'create index site_visits_by_day on site_visits (day)',
]
