import type { MigrationSql } from './sql-migration.ts'

/** Accounts that are known only because somebody visited them, and the bytes of those that were dropped. */
export const visitedAccounts: MigrationSql = ({ text }) => [
  `create table visited_accounts (
    did ${text} primary key,
    visited_at bigint not null,
    dropped_at bigint,
    dropped_bytes bigint not null
  )`,
  `create index visited_accounts_by_visit on visited_accounts (dropped_at, visited_at)`,
]
