import type { MigrationSql } from './sql-migration.ts'

/** Certificates of hosts that the service orders itself, its accounts with authorities, and answers to their challenges. */
export const certificates: MigrationSql = ({ text }) => [
  `create table certificates (
    name ${text} primary key,
    is_wanted bigint not null,
    chain text,
    sealed_key text,
    valid_until bigint,
    renew_at bigint,
    due_at bigint not null,
    failures bigint not null default 0,
    last_error text,
    changed_at bigint not null
  )`,
  'create index certificates_by_due on certificates (is_wanted, due_at)',
  'create index certificates_by_change on certificates (changed_at)',
  `create table acme_accounts (
    directory ${text} primary key,
    sealed_key text not null,
    orders_spent_until bigint not null
  )`,
  `create table acme_challenges (
    token ${text} primary key,
    answer text not null,
    expires_at bigint not null
  )`,
]
