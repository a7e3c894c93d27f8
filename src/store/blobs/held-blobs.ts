import { type BlobKey, blobKeyText } from '#site/record/blob-key.ts'
import type { Did, SiteAddress } from '#site/site-address.ts'
import type { SiteName } from '#site/site-name.ts'
import { hashesNamedIn } from '#site/visit/named-hashes.ts'
import type { Db } from '#store/database/database.ts'
import { snapshotsOf } from '#store/sites/snapshot-pages.ts'
import { findBlobs, type KnownBlob } from './blobs.ts'
import { receivedAmong } from './received-blobs.ts'

/** Of an account's snapshots, read to find out what it has; it does not count as having what only later ones name. */
const snapshotCharsMax = 256 * 1024 * 1024

/**
 * The known blobs among `keys` whose bytes this account has shown to us: it has uploaded them here, its server has sent them,
 * or one of its snapshots names them (this site's are read first). Its records may name any CID: others' bytes are not
 * for it, nor that they are stored here.
 */
export async function findHeldBlobs(
  db: Db,
  { did, name }: SiteAddress,
  keys: readonly BlobKey[],
): Promise<KnownBlob[]> {
  const known = await findBlobs(db, keys)
  const received = await receivedAmong(db, did, known)
  const isReceived = (blob: KnownBlob): boolean => received.has(blobKeyText(blob))
  const rest = known.filter((blob) => !isReceived(blob))
  const named = await hashesHeld(db, did, rest, name)
  return known.filter((blob) => isReceived(blob) || named.has(blob.hash))
}

/** The hashes of those of these blobs that the account's snapshots name; those of `first` are read first. */
export async function hashesHeld(
  db: Db,
  did: Did,
  blobs: readonly KnownBlob[],
  first?: SiteName,
): Promise<ReadonlySet<string>> {
  const open = new Set(blobs.map(({ hash }) => hash))
  const held = new Set<string>()
  if (open.size === 0) return held
  let chars = 0
  for await (const snapshot of snapshotsOf(db, did, first)) {
    chars += snapshot.length
    if (chars > snapshotCharsMax) break
    for (const hash of hashesNamedIn(snapshot)) if (open.delete(hash)) held.add(hash)
    if (open.size === 0) break
  }
  return held
}
