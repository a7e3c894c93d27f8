import type { Migration } from 'kysely'
import { type ColumnTypes, columnTypes, sqlMigration } from './sql-migration.ts'

/** What helps an owner to recognise a browser, and what ends its session: see `BrowserSessionTable`. */
export function signIns(dialect: 'sqlite' | 'postgres'): Migration {
  return sqlMigration(statements(columnTypes(dialect)))
}

const statements = ({ text }: ColumnTypes): string[] => [
  `alter table browser_sessions add column device ${text}`,
  `alter table browser_sessions add column authority ${text}`,
  `alter table browser_sessions add column unconfirmed_since bigint`,
]
