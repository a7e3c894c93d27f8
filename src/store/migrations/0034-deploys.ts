import type { MigrationSql } from './sql-migration.ts'

/** Deploys: uploads that send only what the account does not have yet. */
export const deploys: MigrationSql = ({ text }) => [
  `create table deploys (
    id ${text} primary key,
    did ${text} not null,
    site ${text} not null,
    plan ${text} not null,
    bytes bigint not null,
    created_at bigint not null,
    expires_at bigint not null,
    committed_at bigint
  )`,
  'create index deploys_by_account on deploys (did, created_at)',
  'create index deploys_by_expiry on deploys (expires_at)',
  `create table deploy_files (
    deploy_id ${text} not null references deploys (id) on delete cascade,
    sha256 ${text} not null,
    bytes bigint not null,
    pack ${text},
    "offset" bigint,
    primary key (deploy_id, sha256)
  )`,
]
