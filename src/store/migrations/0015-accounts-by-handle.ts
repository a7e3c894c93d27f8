import type { MigrationSql } from './sql-migration.ts'

/** A handle leads to one account: the one that was seen with it last, which is looked up by it. */
export const accountsByHandle: MigrationSql = () => [
  `update accounts set handle = null where handle is not null and exists (
    select 1 from accounts as later
    where later.handle = accounts.handle and (
      later.updated_at > accounts.updated_at or
      (later.updated_at = accounts.updated_at and later.did > accounts.did)
    )
  )`,
  'create unique index accounts_by_handle on accounts (handle) where handle is not null',
]
