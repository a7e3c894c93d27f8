import type { Db } from '#store/database/database.ts'

/** How far we are with this source (its URL); null before its first event. */
export async function readFirehoseCursor(db: Db, source: string): Promise<number | null> {
  const row = await db
    .selectFrom('firehoseCursors')
    .select('cursor')
    .where('source', '=', source)
    .executeTakeFirst()
  return row?.cursor ?? null
}

/**
 * Stores the cursor as given, also one that goes back: a source that started anew numbers from the
 * beginning.
 */
export async function saveFirehoseCursor(
  db: Db,
  source: string,
  cursor: number,
  now: number,
): Promise<void> {
  await db
    .insertInto('firehoseCursors')
    .values({ source, cursor, updatedAt: now })
    .onConflict((conflict) => conflict.column('source').doUpdateSet({ cursor, updatedAt: now }))
    .execute()
}

/** When an event was last stored, of whatever source; null before the first one. */
export async function firehoseSeenAt(db: Db): Promise<number | null> {
  const { seenAt } = await db
    .selectFrom('firehoseCursors')
    .select(({ fn }) => fn.max('updatedAt').as('seenAt'))
    .executeTakeFirstOrThrow()
  return seenAt
}
