import type { Migration } from 'kysely'
import { sqlMigration } from './sql-migration.ts'

/** How many checks of accounts have begun, which of them an account's row is known from, and the key that it found. */
export function accountChecks(): Migration {
  return sqlMigration([
    `create table account_checks (
      id bigint primary key,
      begun bigint not null
    )`,
    'alter table accounts add column last_check bigint not null default 0',
    'alter table accounts add column signing_key text',
  ])
}
