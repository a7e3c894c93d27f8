import type { Migration } from 'kysely'
import { sqlMigration } from './sql-migration.ts'

/** The record that a job replaces, out of its plan (`replaces`): '' where there was none, null where it has not looked. */
export function expectedCid(dialect: 'sqlite' | 'postgres'): Migration {
  const replaces = {
    sqlite: `case when json_type(plan, '$.replaces') is not null
      then coalesce(json_extract(plan, '$.replaces'), '') end`,
    postgres: `case when plan::jsonb -> 'replaces' is not null
      then coalesce(plan::jsonb ->> 'replaces', '') end`,
  }[dialect]
  return sqlMigration([
    'alter table jobs add column expected_cid text',
    // Of those that have ended the plan is empty, which is no JSON.
    `update jobs set expected_cid = case when plan <> '' then ${replaces} end`,
  ])
}
