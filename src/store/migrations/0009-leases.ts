import type { Migration } from 'kysely'
import { type ColumnTypes, columnTypes, sqlMigration } from './sql-migration.ts'

/** What only one process may do at a time, and who does it until when. */
export function leases(dialect: 'sqlite' | 'postgres'): Migration {
  return sqlMigration(statements(columnTypes(dialect)))
}

const statements = ({ text }: ColumnTypes): string[] => [
  `create table leases (
    name ${text} primary key,
    holder ${text} not null,
    leased_until bigint not null
  )`,
]
