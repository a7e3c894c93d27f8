import type { InsertObject, RawBuilder, Selectable } from 'kysely'
import { type BlobKey, blobKeyText } from '#site/record/blob-key.ts'
import { chunksOf } from '#store/database/chunks.ts'
import type { Db } from '#store/database/database.ts'
import { distinctInOrder } from '#store/database/distinct-in-order.ts'
import { prepared, preparedForList } from '#store/database/prepared.ts'
import type { Schema } from '#store/database/schema.ts'
import { inSharedTransaction } from '#store/database/shared-transaction.ts'
import { claimBlobs } from './garbage.ts'

/** Where a blob's bytes are stored, and what they decode to. Both hashes are SHA-256 in hex. */
export interface KnownBlob extends BlobKey {
  /** Of the bytes in the blob store: base64 undone, gzip kept. */
  readonly hash: string
  readonly storedBytes: number
  readonly decodedHash: string
  readonly decodedBytes: number
}

/** The known blobs among `keys`, in no order. */
export async function findBlobs(db: Db, keys: readonly BlobKey[]): Promise<KnownBlob[]> {
  const wanted = new Set(keys.map(blobKeyText))
  const cids = [...new Set(keys.map(({ cid }) => cid))]
  const found = (await selectBlobs(db, cids)).map(blobOf)
  return found.filter((blob) => wanted.has(blobKeyText(blob)))
}

const selectBlobs = preparedForList((db, cids: readonly RawBuilder<string>[]) =>
  db.selectFrom('blobs').selectAll().where('cid', 'in', cids),
)

/**
 * The known blobs with these contents, by SHA-256; null if there are too many: anybody can compress a content in thousands
 * of ways.
 */
export async function findBlobsOfContents(
  db: Db,
  decodedHashes: readonly string[],
): Promise<KnownBlob[] | null> {
  const rows = await selectOfContents(db, [...new Set(decodedHashes)])
  return rows.length < ofContentsMax ? rows.map(blobOf) : null
}

const ofContentsMax = 2_048

const selectOfContents = preparedForList((db, hashes: readonly RawBuilder<string>[]) =>
  db.selectFrom('blobs').selectAll().where('decodedHash', 'in', hashes).limit(ofContentsMax),
)

export function rememberBlob(db: Db, blob: KnownBlob, now: number): Promise<void> {
  return rememberBlobs(db, [blob], now)
}

/**
 * Remembers blobs whose bytes were verified and stored, in place of known ones, and claims them. Garbage may be removed
 * until this resolves: callers that need the bytes check for them afterwards.
 */
export function rememberBlobs(db: Db, blobs: readonly KnownBlob[], now: number): Promise<void> {
  return inSharedTransaction(db, async (transaction) => {
    const hashes = blobs.map(({ hash }) => hash)
    // Marks first, as in `removeGarbage`: locking in different orders would deadlock.
    await claimBlobs(transaction, hashes)
    const rows = distinctInOrder(blobs, blobKeyText).map((blob) => rowOf(blob, now))
    const [row] = rows
    if (row !== undefined && rows.length === 1) await insertBlob(transaction, row)
    else for (const chunk of chunksOf(rows)) await insertBlobs(transaction, chunk).execute()
  })
}

type BlobRow = Selectable<Schema['blobs']>

const rowOf = ({ base64, ...blob }: KnownBlob, now: number): BlobRow => ({
  ...blob,
  base64: base64 ? 1 : 0,
  createdAt: now,
})

const insertBlobs = (db: Db, rows: readonly InsertObject<Schema, 'blobs'>[]) =>
  db
    .insertInto('blobs')
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(['cid', 'coding', 'base64']).doUpdateSet(({ ref }) => ({
        hash: ref('excluded.hash'),
        storedBytes: ref('excluded.storedBytes'),
        decodedHash: ref('excluded.decodedHash'),
        decodedBytes: ref('excluded.decodedBytes'),
      })),
    )

// Ingest remembers them one by one.
const insertBlob = prepared<BlobRow, unknown>((db, row) => insertBlobs(db, [row]))

/** A page of the hashes of all known blobs' stored bytes, in their order. */
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

/** One round of the scrub, which reads all stored bytes again in the order of their hashes. */
export interface ScrubRound {
  readonly begunAt: number
  /** Hashes up to this one have been read. */
  readonly afterHash: string
}

/** Null before the first round. */
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

/** The known blobs with these hashes of stored bytes. */
export async function findBlobsByHash(db: Db, hashes: readonly string[]): Promise<KnownBlob[]> {
  const found: KnownBlob[] = []
  for (const chunk of chunksOf(hashes)) {
    const rows = await db.selectFrom('blobs').selectAll().where('hash', 'in', chunk).execute()
    found.push(...rows.map(blobOf))
  }
  return found
}

/** Forgets the blobs with these hashes of stored bytes, which were removed from the blob store. */
export async function forgetBlobs(db: Db, hashes: readonly string[]): Promise<void> {
  for (const chunk of chunksOf(hashes)) {
    await db.deleteFrom('blobs').where('hash', 'in', chunk).execute()
  }
}

function blobOf({ createdAt, ...row }: BlobRow): KnownBlob {
  return { ...row, base64: row.base64 === 1 }
}
