import type { Migration } from 'kysely'
import { type ColumnTypes, columnTypes, sqlMigration } from './sql-migration.ts'

/**
 * Accounts whose servers did not confirm the grant, in place of a time for each session. Sessions of before 0019 get the
 * authority that is known; where none is, nobody can tell later whether the account has moved, and they end.
 */
export function grantFailures(dialect: 'sqlite' | 'postgres'): Migration {
  return sqlMigration(statements(columnTypes(dialect)))
}

const statements = ({ text }: ColumnTypes): string[] => [
  `create table grant_failures (
    did ${text} primary key,
    since bigint not null,
    asked_at bigint not null,
    tries bigint not null
  )`,
  'create index grant_failures_by_time on grant_failures (asked_at)',
  'alter table browser_sessions drop column unconfirmed_since',
  `update browser_sessions set authority = (
    select pds || ' ' || signing_key from accounts where accounts.did = browser_sessions.did
  ) where authority is null`,
  'delete from browser_sessions where authority is null',
]
