import type { BlobStore } from '#blobs/blob-store.ts'
import { mapAtOnce } from '#concurrency/map-at-once.ts'
import { hashesNamedIn } from '#site/visit/named-hashes.ts'
import { claimBlobs } from '#store/blobs/garbage.ts'
import type { Db } from '#store/database/database.ts'

export const presenceChecksAtOnce = 64

interface KeepContext {
  readonly db: Db
  readonly blobs: Pick<BlobStore, 'has'>
  readonly signal: AbortSignal
}

/**
 * Claims the blobs of a snapshot that was just stored: a garbage collection or a purge that has not seen it may have marked
 * them meanwhile. False: it has removed some already.
 */
export async function keepStored(
  snapshot: string | null,
  { blobs, db, signal }: KeepContext,
): Promise<boolean> {
  const hashes = [...new Set(hashesNamedIn(snapshot ?? ''))]
  await claimBlobs(db, hashes)
  const limits = { atOnce: presenceChecksAtOnce, signal }
  return (await mapAtOnce(hashes, limits, (hash) => blobs.has(hash))).every(Boolean)
}
