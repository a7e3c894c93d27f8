import type { Selectable } from 'kysely'
import type { Coding } from '#site/encoding.ts'
import { chunksOf } from './chunks.ts'
import type { Db } from './database.ts'
import { distinctInOrder } from './distinct-in-order.ts'
import { claimBlobs } from './garbage.ts'
import type { Schema } from './schema.ts'
import { inTransaction } from './transaction.ts'

/**
 * A blob of a repository, and how a manifest says to read it: the same CID may be named with
 * several codings.
 */
export interface BlobKey {
  readonly cid: string
  readonly coding: Coding
  readonly base64: boolean
}

/** Where the bytes of a blob are, and what they decode to. Both hashes are SHA-256 in hex. */
export interface KnownBlob extends BlobKey {
  /** Of the bytes in the blob store: base64 undone, gzip kept. */
  readonly hash: string
  readonly storedBytes: number
  readonly decodedHash: string
  readonly decodedBytes: number
}

/** The known ones among `keys`, in no order. */
export async function findBlobs(db: Db, keys: readonly BlobKey[]): Promise<KnownBlob[]> {
  const wanted = new Set(keys.map(keyText))
  const cids = [...new Set(keys.map(({ cid }) => cid))]
  const found: KnownBlob[] = []
  for (const chunk of chunksOf(cids)) {
    const rows = await db.selectFrom('blobs').selectAll().where('cid', 'in', chunk).execute()
    found.push(...rows.map(blobOf))
  }
  return found.filter((blob) => wanted.has(keyText(blob)))
}

/** Every known blob that decodes to one of these contents, in no order. */
export async function findBlobsByDecodedHash(
  db: Db,
  decodedHashes: readonly string[],
): Promise<KnownBlob[]> {
  const found: KnownBlob[] = []
  for (const chunk of chunksOf([...new Set(decodedHashes)])) {
    const rows = await db
      .selectFrom('blobs')
      .selectAll()
      .where('decodedHash', 'in', chunk)
      .execute()
    found.push(...rows.map(blobOf))
  }
  return found
}

export function rememberBlob(db: Db, blob: KnownBlob, now: number): Promise<void> {
  return rememberBlobs(db, [blob], now)
}

/**
 * Remembers blobs whose bytes were verified and stored, and claims them. One that is known is replaced. What
 * was garbage may be removed until this resolves: whoever relies on the bytes looks afterwards.
 */
export function rememberBlobs(db: Db, blobs: readonly KnownBlob[], now: number): Promise<void> {
  return inTransaction(db, async (transaction) => {
    // Marks first, as whoever removes garbage does: two that lock in different orders wait forever.
    await claimBlobs(
      transaction,
      blobs.map(({ hash }) => hash),
    )
    for (const chunk of chunksOf(distinctInOrder(blobs, keyText))) {
      await insertBlobs(transaction, chunk, now)
    }
  })
}

async function insertBlobs(db: Db, blobs: readonly KnownBlob[], now: number): Promise<void> {
  await db
    .insertInto('blobs')
    .values(blobs.map((blob) => ({ ...blob, base64: blob.base64 ? 1 : 0, createdAt: now })))
    .onConflict((conflict) =>
      conflict.columns(['cid', 'coding', 'base64']).doUpdateSet(({ ref }) => ({
        hash: ref('excluded.hash'),
        storedBytes: ref('excluded.storedBytes'),
        decodedHash: ref('excluded.decodedHash'),
        decodedBytes: ref('excluded.decodedBytes'),
      })),
    )
    .execute()
}

/** Hashes of stored bytes that are known as blobs, in their order, a page at a time. */
export async function listBlobHashes(
  db: Db,
  { after, limit }: { after: string; limit: number },
): Promise<string[]> {
  const rows = await db
    .selectFrom('blobs')
    .select('hash')
    .distinct()
    .where('hash', '>', after)
    .orderBy('hash')
    .limit(limit)
    .execute()
  return rows.map(({ hash }) => hash)
}

/**
 * Forgets the blobs whose stored bytes have one of these hashes: they were removed from the blob
 * store.
 */
export async function forgetBlobs(db: Db, hashes: readonly string[]): Promise<void> {
  for (const chunk of chunksOf(hashes)) {
    await db.deleteFrom('blobs').where('hash', 'in', chunk).execute()
  }
}

function keyText({ cid, coding, base64 }: BlobKey): string {
  return `${cid} ${coding} ${base64}`
}

function blobOf({ createdAt, ...row }: Selectable<Schema['blobs']>): KnownBlob {
  return { ...row, base64: row.base64 === 1 }
}
