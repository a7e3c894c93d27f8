import type { Db } from './database.ts'

/** Whether this database has the table; one that a restore has moved aside, into another schema, does not count. */
export async function hasTable(db: Db, name: string): Promise<boolean> {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true })
  return tables.some((table) => table.name === name && (table.schema ?? 'public') === 'public')
}
