import type { Migration } from 'kysely'
import { type ColumnTypes, columnTypes, sqlMigration } from './sql-migration.ts'

/**
 * Which of a site's names is its primary address, and who has left. Changes name a site by its label: that
 * an account was here shall not be in them when it has gone. Those of before are dropped; whoever reads them
 * starts afresh with this process anyway.
 */
export function primaryAndLeaving(dialect: 'sqlite' | 'postgres'): Migration {
  return sqlMigration(statements(columnTypes(dialect)))
}

const statements = ({ text }: ColumnTypes): string[] => [
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
