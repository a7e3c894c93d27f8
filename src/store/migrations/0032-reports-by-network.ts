import type { MigrationSql } from './sql-migration.ts'

/** The open reports of a visitor's network. */
export const reportsByNetwork: MigrationSql = () => [
  'create index reports_by_network on reports (network_hash) where network_hash is not null',
]
