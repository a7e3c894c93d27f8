import type { MigrationSql } from './sql-migration.ts'

/** The record that a job replaces, out of its plan (`replaces`): '' for none, null before the job first looked. */
export const expectedCid: MigrationSql = ({ dialect }) => [
  'alter table jobs add column expected_cid text',
  // The plan of a job that has ended is empty, which is no JSON.
  `update jobs set expected_cid = case when plan <> '' then ${replaces[dialect]} end`,
]

const replaces = {
  sqlite: `case when json_type(plan, '$.replaces') is not null
    then coalesce(json_extract(plan, '$.replaces'), '') end`,
  postgres: `case when plan::jsonb -> 'replaces' is not null
    then coalesce(plan::jsonb ->> 'replaces', '') end`,
}
