import type { MigrationSql } from './sql-migration.ts'

/** Tokens with which programs deploy one site, and which deploys are previews: some tokens may make those alone. */
export const deployTokens: MigrationSql = ({ text }) => [
  `create table deploy_tokens (
    id ${text} primary key,
    hash ${text} not null unique,
    did ${text} not null,
    site ${text} not null,
    name ${text} not null,
    scope ${text} not null,
    authority ${text},
    created_at bigint not null,
    expires_at bigint not null,
    used_at bigint,
    ended_by ${text}
  )`,
  'create index deploy_tokens_of_site on deploy_tokens (did, site, created_at)',
  'create index deploy_tokens_by_expiry on deploy_tokens (expires_at)',
  'alter table deploys add column is_preview bigint not null default 0',
]
