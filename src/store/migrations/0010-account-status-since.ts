import type { Migration } from 'kysely'
import { sqlMigration } from './sql-migration.ts'

/** Since when an account has its status. Those of before have it since now: nothing goes too early. */
export function accountStatusSince(): Migration {
  return sqlMigration([
    'alter table accounts add column status_since bigint not null default 0',
    `update accounts set status_since = ${Date.now()}`,
    `create index accounts_deleted on accounts (status_since) where status = 'deleted'`,
  ])
}
