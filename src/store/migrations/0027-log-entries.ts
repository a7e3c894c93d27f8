import type { MigrationSql } from './sql-migration.ts'

/**
 * The log, searched by its words (`store/log/log-words`), and one row per distinct error. Jobs and work items remember the
 * request that caused them.
 */
export const logEntries: MigrationSql = ({ dialect, text, sequence }) => [
  `create table log_entries (
    id ${sequence},
    at bigint not null,
    level ${text} not null,
    service ${text} not null,
    message ${text} not null,
    event ${text},
    trace_id ${text},
    context ${text} not null
    ${dialect === 'postgres' ? ', words tsvector not null' : ''}
  )`,
  ...wordIndex[dialect],
  `create table error_entries (
    fingerprint ${text} primary key,
    service ${text} not null,
    message ${text} not null,
    stack ${text},
    context ${text} not null,
    count bigint not null,
    first_seen bigint not null,
    last_seen bigint not null,
    trace_ids ${text} not null
  )`,
  'create index error_entries_seen on error_entries (last_seen, fingerprint)',
  `alter table jobs add column trace_id ${text}`,
  `alter table work_items add column trace_id ${text}`,
]

const wordIndex: Record<'sqlite' | 'postgres', readonly string[]> = {
  // Words are split before they come here: whatever else they hold belongs to them.
  sqlite: [
    `create virtual table log_words using fts5 (
      words, content = '', contentless_delete = 1, detail = none,
      tokenize = "unicode61 remove_diacritics 0 tokenchars '^=_-'"
    )`,
  ],
  // Without a list of pending words, which every search would read to its end.
  postgres: [
    'create index log_entries_words on log_entries using gin (words) with (fastupdate = off)',
  ],
}
