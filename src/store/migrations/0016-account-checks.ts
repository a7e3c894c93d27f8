import type { MigrationSql } from './sql-migration.ts'

/** How many account checks have begun, which of them an account's row is from, and the key that it found. */
export const accountChecks: MigrationSql = () => [
  `create table account_checks (
    id bigint primary key,
    begun bigint not null
  )`,
  'alter table accounts add column last_check bigint not null default 0',
  'alter table accounts add column signing_key text',
]
