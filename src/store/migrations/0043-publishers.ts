import type { MigrationSql } from './sql-migration.ts'

/** CI jobs that may deploy a site with a token of their forge, and the tokens that were used. */
export const publishers: MigrationSql = ({ text }) => [
  `create table publishers (
    id ${text} primary key,
    did ${text} not null,
    site ${text} not null,
    issuer ${text} not null,
    repository ${text} not null,
    repository_id ${text},
    ref ${text},
    environment ${text},
    scope ${text} not null,
    authority ${text},
    created_at bigint not null,
    used_at bigint
  )`,
  'create index publishers_of_site on publishers (did, site, created_at)',
  `create table used_id_tokens (
    hash ${text} primary key,
    expires_at bigint not null
  )`,
  'create index used_id_tokens_by_expiry on used_id_tokens (expires_at)',
  `alter table deploy_tokens add column publisher_id ${text}`,
]
