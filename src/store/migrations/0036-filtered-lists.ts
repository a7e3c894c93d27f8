import type { MigrationSql } from './sql-migration.ts'

/** Reports and errors in their order, for the filters of the administrator's area. */
export const filteredLists: MigrationSql = () => [
  'create index reports_by_kind on reports (kind, id)',
  'create index error_entries_by_service on error_entries (service, last_seen, fingerprint)',
]
