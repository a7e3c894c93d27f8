import type { Migration } from 'kysely'
import { columnTypes, sqlMigration } from './sql-migration.ts'

/** Accounts that are here only because somebody visited them, and what those took that had to go. */
export function visitedAccounts(dialect: 'sqlite' | 'postgres'): Migration {
  const { text } = columnTypes(dialect)
  return sqlMigration([
    `create table visited_accounts (
      did ${text} primary key,
      visited_at bigint not null,
      dropped_at bigint,
      dropped_bytes bigint not null
    )`,
    `create index visited_accounts_by_visit on visited_accounts (dropped_at, visited_at)`,
  ])
}
