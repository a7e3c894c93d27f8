import type { MigrationSql } from './sql-migration.ts'

export const firstTables: MigrationSql = ({ text, sequence }) => [
  `create table accounts (
    did ${text} primary key,
    handle ${text},
    pds ${text},
    status ${text} not null,
    created_at bigint not null,
    updated_at bigint not null
  )`,

  `create table browser_sessions (
    id_hash ${text} primary key,
    did ${text} not null,
    created_at bigint not null,
    seen_at bigint not null,
    expires_at bigint not null
  )`,
  `create index browser_sessions_by_did on browser_sessions (did)`,
  `create index browser_sessions_by_expiry on browser_sessions (expires_at)`,

  `create table sealed_rows (
    kind ${text} not null,
    key ${text} not null,
    sealed ${text} not null,
    expires_at bigint,
    primary key (kind, key)
  )`,
  `create index sealed_rows_by_expiry on sealed_rows (expires_at) where expires_at is not null`,

  `create table sites (
    did ${text} not null,
    name ${text} not null,
    label ${text} unique,
    live_version_id ${text},
    removed_rev ${text},
    created_at bigint not null,
    updated_at bigint not null,
    primary key (did, name)
  )`,
  `create table versions (
    id ${text} primary key,
    did ${text} not null,
    name ${text} not null,
    record_cid ${text} not null,
    rev ${text} not null,
    state ${text} not null,
    problems ${text} not null,
    snapshot ${text},
    file_count bigint not null,
    bytes bigint not null,
    published_at bigint not null,
    seen_at bigint not null,
    replaced_at bigint,
    foreign key (did, name) references sites (did, name) on delete cascade
  )`,
  `create index versions_by_site on versions (did, name, rev)`,
  `create unique index versions_one_live on versions (did, name) where state = 'live'`,
  `create index versions_by_replacement on versions (replaced_at) where replaced_at is not null`,

  `create table blobs (
    cid ${text} not null,
    coding ${text} not null,
    base64 bigint not null,
    hash ${text} not null,
    stored_bytes bigint not null,
    decoded_hash ${text} not null,
    decoded_bytes bigint not null,
    created_at bigint not null,
    primary key (cid, coding, base64)
  )`,
  `create index blobs_by_decoded_hash on blobs (decoded_hash)`,
  `create index blobs_by_hash on blobs (hash)`,

  `create table jobs (
    id ${text} primary key,
    did ${text} not null,
    site ${text} not null,
    status ${text} not null,
    progress ${text} not null,
    result ${text},
    error ${text},
    plan ${text} not null,
    created_at bigint not null,
    updated_at bigint not null,
    finished_at bigint
  )`,
  `create unique index jobs_one_a_site on jobs (did, site) where finished_at is null`,
  `create unique index jobs_one_running on jobs (did) where status in ('processing', 'uploading')`,
  `create index jobs_by_finish on jobs (finished_at)`,

  `create table firehose_cursors (
    source ${text} primary key,
    cursor bigint not null,
    updated_at bigint not null
  )`,

  `create table ingest_queue (
    did ${text} not null,
    name ${text} not null,
    enqueued_at bigint not null,
    attempts bigint not null,
    next_attempt_at bigint not null,
    leased_until bigint not null,
    last_error ${text},
    token ${text} not null,
    primary key (did, name)
  )`,
  `create index ingest_queue_by_attempt on ingest_queue (next_attempt_at)`,

  `create table changes (
    seq ${sequence},
    kind ${text} not null,
    did ${text} not null,
    name ${text} not null,
    created_at bigint not null
  )`,

  `create table servers (
    host ${text} primary key,
    sniffs_gzip bigint not null,
    updated_at bigint not null
  )`,
]
