import type { Db } from '#store/database/database.ts'

/** The last change of which a CDN was told what to drop; null before the first. */
export async function readPurgedSeq(db: Db): Promise<number | null> {
  const row = await db.selectFrom('cdnPurges').select('seq').executeTakeFirst()
  return row?.seq ?? null
}

export async function savePurgedSeq(db: Db, seq: number): Promise<void> {
  await db
    .insertInto('cdnPurges')
    .values({ id: 1, seq })
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ seq }))
    .execute()
}
