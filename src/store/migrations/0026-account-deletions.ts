import type { MigrationSql } from './sql-migration.ts'

/** The table of account deletions gets their name. */
export const accountDeletions: MigrationSql = ({ dialect }) => [
  'drop index departures_by_attempt',
  'alter table departures rename to account_deletions',
  'alter table account_deletions rename column left_at to deleted_at',
  'create index account_deletions_by_attempt on account_deletions (next_attempt_at) where did is not null',
  ...(dialect === 'postgres'
    ? ['alter index departures_pkey rename to account_deletions_pkey']
    : []),
]
