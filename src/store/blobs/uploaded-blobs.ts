import type { Coding } from '#site/encoding.ts'
import type { BlobRef } from '#site/record/blob-ref.ts'
import type { Did } from '#site/site-address.ts'
import { isDeletedHere } from '#store/accounts/deleted-here.ts'
import { chunksOf } from '#store/database/chunks.ts'
import type { Db } from '#store/database/database.ts'
import { distinctInOrder } from '#store/database/distinct-in-order.ts'

/** A blob on an account's server that no record names yet: an unfinished or failed upload has sent it. */
export interface UploadedBlob {
  /** SHA-256 of the file's content, in hex. */
  readonly decodedHash: string
  readonly blob: BlobRef
  readonly coding: Coding
  readonly base64: boolean
}

/** Remembers uploaded blobs in place of earlier ones with the same content. Ignores an account that was deleted here. */
export async function rememberUploadedBlobs(
  db: Db,
  did: Did,
  uploaded: readonly UploadedBlob[],
  now: number,
): Promise<void> {
  if (await isDeletedHere(db, did)) return
  const distinct = distinctInOrder(uploaded, ({ decodedHash }) => decodedHash)
  const rows = distinct.map(({ decodedHash, blob, coding, base64 }) => ({
    did,
    decodedHash,
    coding,
    uploadedAt: now,
    blob: JSON.stringify(blob),
    base64: base64 ? (1 as const) : (0 as const),
  }))
  for (const chunk of chunksOf(rows)) {
    await db
      .insertInto('uploadedBlobs')
      .values(chunk)
      .onConflict((conflict) =>
        conflict.columns(['did', 'decodedHash']).doUpdateSet(({ ref }) => ({
          blob: ref('excluded.blob'),
          coding: ref('excluded.coding'),
          base64: ref('excluded.base64'),
          uploadedAt: ref('excluded.uploadedAt'),
        })),
      )
      .execute()
  }
}

/** The account's uploaded blobs with one of these contents. */
export async function findUploadedBlobs(
  db: Db,
  did: Did,
  decodedHashes: readonly string[],
): Promise<UploadedBlob[]> {
  const found: UploadedBlob[] = []
  for (const chunk of chunksOf([...new Set(decodedHashes)])) {
    const rows = await db
      .selectFrom('uploadedBlobs')
      .selectAll()
      .where('did', '=', did)
      .where('decodedHash', 'in', chunk)
      .execute()
    for (const { decodedHash, blob, coding, base64 } of rows) {
      found.push({ decodedHash, blob: JSON.parse(blob) as BlobRef, coding, base64: base64 === 1 })
    }
  }
  return found
}

/** For blobs that records name, or that the server has dropped; only those uploaded `before`, if given. */
export async function forgetUploadedBlobs(
  db: Db,
  did: Did,
  decodedHashes: readonly string[],
  { before = Number.MAX_SAFE_INTEGER }: { before?: number } = {},
): Promise<void> {
  for (const chunk of chunksOf([...new Set(decodedHashes)])) {
    await db
      .deleteFrom('uploadedBlobs')
      .where('did', '=', did)
      .where('decodedHash', 'in', chunk)
      .where('uploadedAt', '<', before)
      .execute()
  }
}

/** Servers drop blobs that no record names after some time; forget them earlier. */
export async function deleteUploadedBlobsBefore(db: Db, before: number): Promise<void> {
  await db.deleteFrom('uploadedBlobs').where('uploadedAt', '<', before).execute()
}
