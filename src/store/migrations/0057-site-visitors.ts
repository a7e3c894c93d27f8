import type { MigrationSql } from './sql-migration.ts'

/** About how many visitors a site had on one day, and what they were hashed with on the current one. */
export const siteVisitors: MigrationSql = ({ text }) => [
  `create table site_visitors (
    did ${text} not null,
    site ${text} not null,
    day bigint not null,
    visitors bigint not null,
    sketch ${text},
    primary key (did, site, day)
  )`,
  'create index site_visitors_by_day on site_visitors (day)',
  `create table visitor_salts (
    day bigint primary key,
    salt ${text} not null
  )`,
]
