import type { MigrationSql } from './sql-migration.ts'

/** What visitors took of a site, and of all sites of an account, on one day. */
export const siteTraffic: MigrationSql = ({ text }) => [
  `create table site_traffic (
    did ${text} not null,
    site ${text} not null,
    day bigint not null,
    requests bigint not null,
    bytes bigint not null,
    refused bigint not null,
    primary key (did, day, site)
  )`,
  'create index site_traffic_by_day on site_traffic (day)',
]
