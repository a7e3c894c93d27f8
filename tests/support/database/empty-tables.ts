import { sql } from 'kysely'
import type { Db } from '#store/database/database.ts'
import { inTransaction } from '#store/database/transaction.ts'

// Before each test: one look at all tables costs less than a deletion from each, and most are empty.

/** Empties the tables of a SQLite database each time it is called. Numbers that count up begin anew. */
export async function emptying(db: Db): Promise<() => Promise<void>> {
  const tables = [...(await tablesOf(db)), 'sqlite_sequence']
  const look = tables.map((table) => `exists (select 1 from "${table}") as "${table}"`)
  const filled = sql<Record<string, number>>`select ${sql.raw(look.join(', '))}`
  return () =>
    inTransaction(db, async (transaction) => {
      const { rows } = await filled.execute(transaction.withoutPlugins())
      for (const table of tables) {
        if (rows[0]?.[table] === 1) await sql`delete from ${sql.table(table)}`.execute(transaction)
      }
    })
}

/** As a function of the database: PostgreSQL keeps its plans for as long as a connection is open. */
export async function makeEmptyShared(db: Db): Promise<void> {
  const deletions = (await tablesOf(db)).map(
    (table) => `perform 1 from "${table}" limit 1; if found then delete from "${table}"; end if;`,
  )
  const body = `begin ${deletions.join('\n')} end`
  await sql`create function empty_tables() returns void language plpgsql as ${sql.lit(body)}`.execute(
    db,
  )
}

/** Empties the tables of a PostgreSQL database that has passed `makeEmptyShared`. */
export const emptyShared = (db: Db): Promise<unknown> => sql`select empty_tables()`.execute(db)

async function tablesOf(db: Db): Promise<string[]> {
  const found = await db.introspection.getTables()
  return (
    found
      .map(({ name }) => name)
      // A full-text index empties the tables behind it.
      .filter((name) => !name.startsWith('log_words_'))
      // Last: versions refer to them.
      .toSorted((a, b) => Number(a === 'sites') - Number(b === 'sites'))
  )
}
