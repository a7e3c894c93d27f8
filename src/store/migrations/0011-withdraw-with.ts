import type { MigrationSql } from './sql-migration.ts'

/** The record whose version withdraws the versions before it. */
export const withdrawWith: MigrationSql = () => ['alter table sites add column withdraw_with text']
