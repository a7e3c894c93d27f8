import type { MigrationSql } from './sql-migration.ts'

/** Since when an account has its status. Existing accounts: since now, so that none is dropped too early. */
export const accountStatusSince: MigrationSql = () => [
  'alter table accounts add column status_since bigint not null default 0',
  `update accounts set status_since = ${Date.now()}`,
  `create index accounts_deleted on accounts (status_since) where status = 'deleted'`,
]
