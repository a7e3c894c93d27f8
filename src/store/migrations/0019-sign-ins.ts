import type { MigrationSql } from './sql-migration.ts'

/** What helps an owner to recognise a browser, and what ends its session. */
export const signIns: MigrationSql = ({ text }) => [
  `alter table browser_sessions add column device ${text}`,
  `alter table browser_sessions add column authority ${text}`,
  `alter table browser_sessions add column unconfirmed_since bigint`,
]
