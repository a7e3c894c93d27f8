import type { Db } from '#store/database/database.ts'

/** One round of reading all stored bytes again, in the order of their hashes. */
export interface ScrubRound {
  readonly begunAt: number
  /** Hashes up to this one have been read. */
  readonly afterHash: string
}

/** Null before the first one. */
export async function readScrubRound(db: Db): Promise<ScrubRound | null> {
  const row = db.selectFrom('blobScrub').select(['begunAt', 'afterHash'])
  return (await row.executeTakeFirst()) ?? null
}

export async function saveScrubRound(db: Db, round: ScrubRound): Promise<void> {
  await db
    .insertInto('blobScrub')
    .values({ id: 1, ...round })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(round))
    .execute()
}
