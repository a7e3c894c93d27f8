import type { Migration } from 'kysely'
import { sqlMigration } from './sql-migration.ts'

/** The record whose version takes the assets of those before it out of sight. */
export function withdrawWith(): Migration {
  return sqlMigration(['alter table sites add column withdraw_with text'])
}
