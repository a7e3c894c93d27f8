import type { MigrationSql } from './sql-migration.ts'

/** Accounts that are not active are checked again, least recently checked first. */
export const inactiveAccounts: MigrationSql = () => [
  `create index accounts_inactive on accounts (updated_at) where status != 'active'`,
]
