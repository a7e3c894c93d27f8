import type { Migration } from 'kysely'
import { type ColumnTypes, columnTypes, sqlMigration } from './sql-migration.ts'

/** Subdomains that were released, for the time in which only their last owner gets them back. */
export function keptSubdomains(dialect: 'sqlite' | 'postgres'): Migration {
  return sqlMigration(statements(columnTypes(dialect)))
}

const statements = ({ text }: ColumnTypes): string[] => [
  `create table kept_subdomains (
    domain ${text} primary key,
    did_hash ${text} not null,
    released_at bigint not null
  )`,
  `create index kept_subdomains_by_owner on kept_subdomains (did_hash, released_at)`,
  `create index kept_subdomains_by_release on kept_subdomains (released_at)`,
]
