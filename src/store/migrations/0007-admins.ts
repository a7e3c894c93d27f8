import type { MigrationSql } from './sql-migration.ts'

export const admins: MigrationSql = ({ text }) => [
  `create table admins (
    id ${text} primary key,
    name ${text} not null unique,
    password_hash ${text} not null,
    created_at bigint not null
  )`,
  `create table admin_sessions (
    id_hash ${text} primary key,
    admin_id ${text} not null,
    created_at bigint not null,
    seen_at bigint not null,
    expires_at bigint not null
  )`,
  `create index admin_sessions_by_admin on admin_sessions (admin_id)`,
]
