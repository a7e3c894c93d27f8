import type { Migration } from 'kysely'
import { type ColumnTypes, columnTypes, sqlMigration } from './sql-migration.ts'

/**
 * What is to be looked at of whole accounts, and which stored bytes nothing names any more. Every account
 * is looked at once: until now nobody noticed when one went away.
 */
export function accountsAndGarbage(dialect: 'sqlite' | 'postgres'): Migration {
  return sqlMigration(statements(columnTypes(dialect)))
}

const statements = ({ text }: ColumnTypes): string[] => [
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
