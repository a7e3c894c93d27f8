import type { Migration } from 'kysely'
import { sqlMigration } from './sql-migration.ts'

/** Accounts that are not active are asked for again: those first that were looked at longest ago. */
export function inactiveAccounts(): Migration {
  return sqlMigration([
    `create index accounts_inactive on accounts (updated_at) where status != 'active'`,
  ])
}
