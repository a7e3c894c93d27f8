import type { BlobStore } from '#blobs/blob-store.ts'
import type { SiteAddress } from '#site/site-address.ts'
import { hashesNamedIn } from '#site/visit/named-hashes.ts'
import { claimBlobs, markGarbage, removeGarbage } from '#store/blobs/garbage.ts'
import { chunksOf } from '#store/database/chunks.ts'
import type { Db } from '#store/database/database.ts'
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
  const only = await hashesOf(site, context)
  const ownCount = only.size
  const removed = await removeUnnamed(only, (kept) => !isOf(kept, site), context)
  return { removed: removed.length, kept: ownCount - removed.length }
}

/** As `purgeBlobs`, for those of these blobs that no snapshot at all names; returns their hashes. */
export async function purgeUnnamed(
  hashes: Iterable<string>,
  context: PurgeContext,
): Promise<string[]> {
  return await removeUnnamed(new Set(hashes), () => true, context)
}

/** Takes from `only` what snapshots that `counts` accepts name. */
async function removeUnnamed(
  only: Set<string>,
  counts: (kept: KeptSnapshot) => boolean,
  context: PurgeContext,
): Promise<string[]> {
  const { db, blobs, now } = context
  const lastId = await eachSnapshot(counts, '', context, (snapshot) => {
    for (const hash of hashesNamedIn(snapshot)) only.delete(hash)
    return only.size > 0
  })
  if (only.size === 0) return []
  const markedAt = now()
  await markGarbage(db, [...only], markedAt)
  // Versions that went live meanwhile; for later ones, ingest claims the blobs.
  await eachSnapshot(counts, lastId, context, async (snapshot) => {
    await claimBlobs(
      db,
      hashesNamedIn(snapshot)
        .filter((hash) => only.has(hash))
        .toArray(),
    )
    return true
  })
  const removed: string[] = []
  for (const some of chunksOf([...only], removedAtOnce)) {
    removed.push(...(await removeGarbage(db, some, markedAt + 1, (hash) => blobs.delete(hash))))
  }
  return removed
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

/** Calls `onSnapshot` for the snapshots after this one until it returns false; returns the last one's id. */
async function eachSnapshot(
  counts: (kept: KeptSnapshot) => boolean,
  after: string,
  { db, signal }: PurgeContext,
  onSnapshot: (snapshot: string) => boolean | Promise<boolean>,
): Promise<string> {
  let last = after
  for await (const page of snapshotPages(db, { after })) {
    for (const kept of page) {
      if (counts(kept) && !(await onSnapshot(kept.snapshot))) return last
      last = kept.id
    }
    signal.throwIfAborted()
  }
  return last
}

const isOf = ({ did, name }: KeptSnapshot, site: SiteAddress): boolean =>
  did === site.did && name === site.name
