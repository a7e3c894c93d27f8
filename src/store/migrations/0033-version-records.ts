import type { MigrationSql } from './sql-migration.ts'

/** Versions that their owners keep as records, and the addresses of those that were removed. */
export const versionRecords: MigrationSql = ({ text }) => [
  `create table version_records (
    did ${text} not null,
    key ${text} not null,
    id ${text} not null,
    site ${text} not null,
    site_label ${text} not null,
    state ${text} not null,
    cid ${text} not null,
    rev ${text} not null,
    label ${text},
    manifest ${text},
    alias ${text},
    message ${text},
    source ${text},
    pinned bigint not null,
    created_at bigint not null,
    expires_at bigint,
    file_count bigint not null,
    bytes bigint not null,
    files_digest ${text},
    problems ${text} not null,
    snapshot ${text},
    seen_at bigint not null,
    withdrawn bigint not null default 0,
    primary key (did, key)
  )`,
  'create index version_records_by_site on version_records (did, site, key)',
  'create index version_records_by_label on version_records (label, key) where label is not null',
  'create index version_records_by_site_label on version_records (site_label, key)',
  'create index version_records_with_snapshot on version_records (id) where snapshot is not null',
  'create index version_records_expiring on version_records (expires_at) where snapshot is not null',
  "create index version_records_removed on version_records (seen_at) where state = 'removed'",
  `create table forgotten_versions (
    label ${text} not null primary key,
    did ${text} not null,
    site ${text} not null,
    forgotten_at bigint not null
  )`,
  'create index forgotten_versions_by_site on forgotten_versions (did, site, forgotten_at)',
  `alter table versions add column files_digest ${text}`,
]
