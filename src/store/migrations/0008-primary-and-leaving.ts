import type { MigrationSql } from './sql-migration.ts'

/**
 * A site's primary address, and account deletions. Changes name a site by its label, so that they do not name a deleted
 * account. Earlier changes are dropped: their readers start afresh with this process anyway.
 */
export const primaryAndLeaving: MigrationSql = ({ text }) => [
  `alter table subdomains add column is_primary bigint not null default 0`,
  `alter table custom_domains add column is_primary bigint not null default 0`,
  `create index custom_domains_by_site on custom_domains (did, site)`,

  `delete from changes`,
  `alter table changes add column label ${text}`,
  `alter table changes drop column did`,
  `alter table changes drop column name`,

  `create table departures (
    did_hash ${text} primary key,
    did ${text},
    left_at bigint not null,
    attempts bigint not null,
    next_attempt_at bigint not null
  )`,
  `create index departures_by_attempt on departures (next_attempt_at) where did is not null`,
]
