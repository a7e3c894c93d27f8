import type { MigrationSql } from './sql-migration.ts'

/** The queue of accounts, and stored bytes that no snapshot names. All accounts are checked once: deletions went unnoticed. */
export const accountsAndGarbage: MigrationSql = ({ text }) => [
  `create table account_queue (
    did ${text} primary key,
    is_urgent bigint not null,
    enqueued_at bigint not null,
    attempts bigint not null,
    next_attempt_at bigint not null,
    leased_until bigint not null,
    last_error ${text},
    token ${text} not null
  )`,
  `create index account_queue_by_attempt on account_queue (is_urgent, next_attempt_at)`,
  `insert into account_queue
    (did, is_urgent, enqueued_at, attempts, next_attempt_at, leased_until, last_error, token)
    select did, 0, updated_at, 0, updated_at, 0, null, 'accounts-anew' from accounts`,

  `create table garbage (
    hash ${text} primary key,
    since bigint not null
  )`,
  `create table garbage_walk (
    id bigint primary key,
    after_hash ${text} not null
  )`,
]
