import type { Migration } from 'kysely'
import { type ColumnTypes, columnTypes, sqlMigration } from './sql-migration.ts'

/** How far all stored bytes have been read again. */
export function blobScrub(dialect: 'sqlite' | 'postgres'): Migration {
  return sqlMigration(statements(columnTypes(dialect)))
}

const statements = ({ text }: ColumnTypes): string[] => [
  `create table blob_scrub (
    id bigint primary key,
    begun_at bigint not null,
    after_hash ${text} not null
  )`,
]
