import type { MigrationSql } from './sql-migration.ts'

/** What administrators take offline, what visitors report, and who did what. */
export const moderation: MigrationSql = ({ text, sequence }) => [
  `create table takedowns (
    did ${text} not null,
    site ${text} not null,
    label ${text},
    status bigint not null,
    reason ${text} not null,
    actor ${text} not null,
    at bigint not null,
    primary key (did, site)
  )`,
  'create index takedowns_by_label on takedowns (label) where label is not null',
  `create table audit_entries (
    id ${sequence},
    at bigint not null,
    actor ${text} not null,
    action ${text} not null,
    subject ${text} not null,
    reason ${text} not null,
    details ${text} not null
  )`,
  `create table reports (
    id ${sequence},
    at bigint not null,
    last_at bigint not null,
    times bigint not null,
    url ${text} not null,
    did ${text} not null,
    site ${text} not null,
    kind ${text} not null,
    text ${text} not null,
    contact ${text},
    network_hash ${text},
    state ${text} not null,
    handled_by ${text},
    handled_at bigint,
    outcome ${text}
  )`,
  'create index reports_by_state on reports (state, id)',
  'create index reports_by_site on reports (did, site, state)',
]
