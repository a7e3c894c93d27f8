import type { CachedBlobStore } from '#blobs/cached-blobs.ts'
import { repeatEvery } from '#concurrency/every-or-when-woken.ts'
import type { Log } from '#observe/log.ts'
import { findBlobsByHash } from '#store/blobs/blobs.ts'
import type { Db } from '#store/database/database.ts'

/** Forgets the copies of a bucket’s blobs that were removed there; null where there are no copies. */
export function removedCopiesOf({
  blobCopies,
  db,
}: {
  readonly blobCopies: Pick<CachedBlobStore, 'cached' | 'forget'> | null
  readonly db: Db
}) {
  if (blobCopies === null) return null
  return {
    forget: (hash: string) => blobCopies.forget(hash),
    /** Also what another process, or this one before its last start, has removed. */
    async forgetRemoved(): Promise<void> {
      const copies = await blobCopies.cached()
      const known = new Set((await findBlobsByHash(db, copies)).map(({ hash }) => hash))
      for (const hash of copies) if (!known.has(hash)) await blobCopies.forget(hash)
    },
  }
}

const copiesEveryMs = 60 * 60 * 1000

/** From time to time, until the signal aborts. */
export function forgetRemovedCopies(
  copies: { readonly forgetRemoved: () => Promise<void> },
  context: { readonly log: Log; readonly signal: AbortSignal },
): Promise<void> {
  const rhythm = { everyMs: copiesEveryMs, failure: 'copies of removed blobs not removed' }
  return repeatEvery(rhythm, () => copies.forgetRemoved(), context)
}
