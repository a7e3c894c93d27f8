import type { InsertObject, Selectable } from 'kysely'
import { type BlobKey, blobKeyText } from '#site/record/blob-key.ts'
import type { Did } from '#site/site-address.ts'
import { isDeletedHere } from '#store/accounts/deleted-here.ts'
import { chunksOf } from '#store/database/chunks.ts'
import type { Db } from '#store/database/database.ts'
import { distinctInOrder } from '#store/database/distinct-in-order.ts'
import { prepared, preparedForItems } from '#store/database/prepared.ts'
import type { Schema } from '#store/database/schema.ts'

/**
 * Remembers that this account has shown the bytes of these blobs: uploaded them here, or its server has sent them. Ignores
 * an account that was deleted here.
 */
export async function rememberReceived(
  db: Db,
  did: Did,
  keys: readonly BlobKey[],
  now: number,
): Promise<void> {
  if (await isDeletedHere(db, did)) return
  const rows = distinctInOrder(keys, blobKeyText).map(({ cid, coding, base64 }) => {
    return { did, cid, coding, base64: base64 ? (1 as const) : (0 as const), receivedAt: now }
  })
  const [first, ...others] = rows
  // As ingest does for every blob that it fetches.
  if (first !== undefined && others.length === 0) await upsertOne(db, first)
  else for (const chunk of chunksOf(rows)) await upsert(db, chunk).execute()
}

const upsert = (db: Db, rows: InsertObject<Schema, 'receivedBlobs'>[]) =>
  db
    .insertInto('receivedBlobs')
    .values(rows)
    .onConflict((conflict) =>
      conflict
        .columns(['did', 'cid', 'coding', 'base64'])
        .doUpdateSet(({ ref }) => ({ receivedAt: ref('excluded.receivedAt') })),
    )

const upsertOne = prepared<Selectable<Schema['receivedBlobs']>, unknown>((db, row) =>
  upsert(db, [row]),
)

/** `blobKeyText` of those of these blobs that the account has shown, and that are not forgotten yet. */
export async function receivedAmong(
  db: Db,
  did: Did,
  keys: readonly BlobKey[],
): Promise<ReadonlySet<string>> {
  const cids = [...new Set(keys.map(({ cid }) => cid))].map((cid) => ({ cid }))
  const rows = await selectReceived(db, cids, { did })
  return new Set(rows.map((row) => blobKeyText({ ...row, base64: row.base64 === 1 })))
}

const selectReceived = preparedForItems<
  { cid: string },
  { did: Did },
  Omit<BlobKey, 'base64'> & { base64: 0 | 1 }
>((db, items, { did }) =>
  db
    .selectFrom('receivedBlobs')
    .select(['cid', 'coding', 'base64'])
    .where('did', '=', did)
    .where(
      'cid',
      'in',
      items.map(({ cid }) => cid),
    ),
)

/** For blobs whose owner wants no trace of them. Versions that stay say what else their account has. */
export async function forgetReceived(db: Db, did: Did, keys: readonly BlobKey[]): Promise<void> {
  for (const chunk of chunksOf([...new Set(keys.map(({ cid }) => cid))])) {
    await db.deleteFrom('receivedBlobs').where('did', '=', did).where('cid', 'in', chunk).execute()
  }
}

/** Versions name what they received; what none has named by then is garbage, too. */
export async function forgetReceivedBefore(db: Db, before: number): Promise<void> {
  await db.deleteFrom('receivedBlobs').where('receivedAt', '<', before).execute()
}
