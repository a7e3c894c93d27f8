import type { MigrationSql } from './sql-migration.ts'

/**
 * Accounts whose servers did not confirm the grant, in place of a time for each session. Sessions from before 0019 get
 * the known authority. Where none is known, nobody could tell later whether the account has moved: they end.
 */
export const grantFailures: MigrationSql = ({ text }) => [
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
