import { type BlobKey, blobKeyText } from '#site/record/blob-key.ts'
import type { FileNode } from '#site/record/manifest.ts'
import type { AccountRecords } from '#site/record/plan-writes.ts'
import type { Did } from '#site/site-address.ts'
import { findBlobs, findBlobsOfContents, type KnownBlob } from '#store/blobs/blobs.ts'
import { hashesHeld } from '#store/blobs/held-blobs.ts'
import { findUploadedBlobs } from '#store/blobs/uploaded-blobs.ts'
import type { Db } from '#store/database/database.ts'
import { namedBlobs, type ReusableBlob } from './named-blobs.ts'

/**
 * Blobs with the wanted contents, by SHA-256 of the content: those that the account's records reference and that its
 * snapshots name, whichever program compressed them, else those that an earlier attempt sent.
 */
export async function findReusableBlobs(
  did: Did,
  records: AccountRecords,
  wanted: readonly string[],
  db: Db,
  unlisted: Iterable<FileNode> = [],
): Promise<Map<string, ReusableBlob>> {
  const reusable = new Map<string, ReusableBlob>()
  for (const uploaded of await findUploadedBlobs(db, did, wanted)) {
    reusable.set(uploaded.decodedHash, uploaded)
  }
  const named = namedBlobs(records, unlisted)
  const known = await namedOf(named, wanted, db)
  // Its server can list records that name any CID: the account would learn what others store here.
  const held = await hashesHeld(db, did, known)
  for (const { hash, decodedHash, ...key } of known) {
    const blob = named.get(blobKeyText(key))
    if (blob !== undefined && held.has(hash)) reusable.set(decodedHash, blob)
  }
  return reusable
}

/** Those of these blobs that are known to have the wanted contents. */
async function namedOf(
  named: ReadonlyMap<string, BlobKey>,
  wanted: readonly string[],
  db: Db,
): Promise<KnownBlob[]> {
  const ofContents = wanted.length < named.size ? await findBlobsOfContents(db, wanted) : null
  if (ofContents !== null) return ofContents.filter((blob) => named.has(blobKeyText(blob)))
  const isWanted = new Set(wanted)
  const known = await findBlobs(db, [...named.values()])
  return known.filter(({ decodedHash }) => isWanted.has(decodedHash))
}
