import type { BlobStore } from '#blobs/blob-store.ts'
import type { SiteAddress } from '#site/site-address.ts'
import { hashesNamedIn } from '#site/visit/named-hashes.ts'
import { chunksOf } from '#store/database/chunks.ts'
import type { Db } from '#store/database/database.ts'
import { claimBlobs, markGarbage, removeGarbage } from '#store/sites/garbage.ts'
import { type KeptSnapshot, snapshotPages } from '#store/sites/snapshot-pages.ts'

/** Blobs that are removed in one transaction, for which other writers wait. */
const removedAtOnce = 50

export interface PurgeCount {
  readonly removed: number
  /** Blobs that other sites name too. */
  readonly kept: number
}

interface PurgeContext {
  readonly db: Db
  readonly blobs: Pick<BlobStore, 'delete'>
  readonly now: () => number
  readonly signal: AbortSignal
}

/**
 * Removes the blobs that only snapshots of this site name, in the store and on disk. Reads every snapshot, and keeps
 * only this site's hashes in memory. Work that has found one of them meanwhile claims it, and so keeps it, or finds it
 * missing and fetches it.
 */
export async function purgeBlobs(site: SiteAddress, context: PurgeContext): Promise<PurgeCount> {
  const { db, blobs, now } = context
  const only = await hashesOf(site, context)
  const ownCount = only.size
  const lastId = await eachOther(site, '', context, (snapshot) => {
    for (const hash of hashesNamedIn(snapshot)) only.delete(hash)
  })
  const markedAt = now()
  await markGarbage(db, [...only], markedAt)
  // Versions that went live meanwhile; for later ones, ingest claims the blobs.
  await eachOther(site, lastId, context, (snapshot) =>
    claimBlobs(
      db,
      hashesNamedIn(snapshot)
        .filter((hash) => only.has(hash))
        .toArray(),
    ),
  )
  let removed = 0
  for (const some of chunksOf([...only], removedAtOnce)) {
    const gone = await removeGarbage(db, some, markedAt + 1, (hash) => blobs.delete(hash))
    removed += gone.length
  }
  return { removed, kept: ownCount - removed }
}

async function hashesOf(site: SiteAddress, { db, signal }: PurgeContext): Promise<Set<string>> {
  const hashes = new Set<string>()
  for await (const page of snapshotPages(db, { site })) {
    for (const { snapshot } of page) {
      for (const hash of hashesNamedIn(snapshot)) hashes.add(hash)
    }
    signal.throwIfAborted()
  }
  return hashes
}

/** Calls `onSnapshot` for the snapshots of other sites after this one; returns the last one's id. */
async function eachOther(
  site: SiteAddress,
  after: string,
  { db, signal }: PurgeContext,
  onSnapshot: (snapshot: string) => void | Promise<void>,
): Promise<string> {
  let last = after
  for await (const page of snapshotPages(db, { after })) {
    for (const kept of page) {
      if (!isOf(kept, site)) await onSnapshot(kept.snapshot)
      last = kept.id
    }
    signal.throwIfAborted()
  }
  return last
}

const isOf = ({ did, name }: KeptSnapshot, site: SiteAddress): boolean =>
  did === site.did && name === site.name
