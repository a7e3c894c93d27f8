import type { MigrationSql } from './sql-migration.ts'

/** Who may sign in, and how much single accounts may use. */
export const admission: MigrationSql = ({ text }) => [
  `create table account_limits (
    did ${text} primary key,
    sites_max bigint,
    bytes_max bigint,
    uploads_per_day_max bigint
  )`,
  `create table invitations (
    code_hash ${text} primary key,
    created_by ${text} not null,
    created_at bigint not null,
    expires_at bigint not null,
    used_by ${text},
    used_at bigint
  )`,
  'create index invitations_by_time on invitations (created_at)',
  `create table allowed_accounts (
    account ${text} primary key,
    added_by ${text} not null,
    at bigint not null
  )`,
  'create index jobs_by_creation on jobs (did, created_at)',
]
