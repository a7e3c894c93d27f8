import type { MigrationSql } from './sql-migration.ts'

/** One queue for sites and accounts. Everything in it keeps its attempts, times and lease. */
export const workItems: MigrationSql = ({ text }) => [
  `create table work_items (
    kind ${text} not null,
    did ${text} not null,
    site ${text} not null,
    priority bigint not null,
    enqueued_at bigint not null,
    attempts bigint not null,
    next_attempt_at bigint not null,
    leased_until bigint not null,
    last_error ${text},
    token ${text} not null,
    line ${text} not null,
    not_before bigint not null,
    primary key (did, kind, site)
  )`,
  `insert into work_items
    select 'site', did, name, 0, enqueued_at, attempts, next_attempt_at, leased_until, last_error, token, coalesce(line, ''), not_before
    from ingest_queue`,
  `insert into work_items
    select 'account', did, '', is_urgent, enqueued_at, attempts, next_attempt_at, leased_until, last_error, token, '', 0
    from account_queue`,
  'drop table ingest_queue',
  'drop table account_queue',
  'create index work_items_waiting on work_items (kind, priority, line, next_attempt_at, did, site)',
  'create index work_items_leased on work_items (kind, leased_until, did) where leased_until > 0',
  'create index work_items_asked on work_items (kind, enqueued_at desc, did, site)',
]
