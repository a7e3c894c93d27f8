import type { Selectable } from 'kysely'
import { chunksOf } from '#store/database/chunks.ts'
import type { Db } from '#store/database/database.ts'
import type { Schema } from '#store/database/schema.ts'

/** A content that the account has to send. */
export interface NeededContent {
  /** Of the content, in hex. */
  readonly sha256: string
  readonly bytes: number
}

/** Where a content is in the deploy's folder of the spool; `pack` and `offset` are null before it has arrived. */
export type DeployContent = Readonly<Omit<Selectable<Schema['deployFiles']>, 'deployId'>>

/** These contents have to be sent, also if they have arrived before. */
export async function needContents(
  db: Db,
  deployId: string,
  needed: readonly NeededContent[],
): Promise<void> {
  const rows = needed.map(({ sha256, bytes }) => ({ deployId, sha256, bytes }))
  for (const chunk of chunksOf(rows)) {
    await db
      .insertInto('deployFiles')
      .values(chunk.map((row) => ({ ...row, pack: null, offset: null })))
      .onConflict((conflict) =>
        conflict.columns(['deployId', 'sha256']).doUpdateSet({ pack: null, offset: null }),
      )
      .execute()
  }
}

/** Whether the deploy's plan has a content with this SHA-256, in hex. */
export async function isPlanned(db: Db, id: string, sha256: string): Promise<boolean> {
  const row = db
    .selectFrom('deploys')
    .select('id')
    .where('id', '=', id)
    .where('plan', 'like', `%"sha256":"${sha256}"%`)
  return (await row.executeTakeFirst()) !== undefined
}

/** The contents that the account has to send, whether they have arrived or not, by their hashes. */
export async function listContents(db: Db, deployId: string): Promise<DeployContent[]> {
  return await db
    .selectFrom('deployFiles')
    .select(['sha256', 'bytes', 'pack', 'offset'])
    .where('deployId', '=', deployId)
    .orderBy('sha256')
    .execute()
}

/** SHA-256 of each content that has not arrived yet. */
export async function listMissing(db: Db, deployId: string): Promise<string[]> {
  return (await listContents(db, deployId))
    .filter(({ pack }) => pack === null)
    .map(({ sha256 }) => sha256)
}

/** Null for a content that the account need not send. */
export async function findContent(
  db: Db,
  deployId: string,
  sha256: string,
): Promise<DeployContent | null> {
  const row = await db
    .selectFrom('deployFiles')
    .select(['sha256', 'bytes', 'pack', 'offset'])
    .where('deployId', '=', deployId)
    .where('sha256', '=', sha256)
    .executeTakeFirst()
  return row ?? null
}

/** Remembers a content that has arrived; false when it had before, or the deploy is gone. */
export async function recordArrived(
  db: Db,
  deployId: string,
  { sha256, pack, offset }: { sha256: string; pack: string; offset: number },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('deployFiles')
    .set({ pack, offset })
    .where('deployId', '=', deployId)
    .where('sha256', '=', sha256)
    .where('pack', 'is', null)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}
