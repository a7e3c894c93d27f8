import { sql } from 'kysely'
import type { Db } from '#store/database/database.ts'

/** The tables, of all there are, with a row that holds this text in any column. */
export async function tablesNaming(db: Db, text: string): Promise<string[]> {
  const naming: string[] = []
  for (const { name, columns } of await db.introspection.getTables()) {
    const matches = columns.map(
      (column) => sql`cast(${sql.ref(column.name)} as text) like ${`%${text}%`}`,
    )
    const { rows } = await sql`select 1 from ${sql.table(name)}
      where ${sql.join(matches, sql` or `)} limit 1`.execute(db)
    if (rows.length > 0) naming.push(name)
  }
  return naming.sort()
}
