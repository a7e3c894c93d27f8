import type { CachedBlobStore } from '#blobs/cached-blobs.ts'
import type { Db } from '#store/database/database.ts'
import { findBlobsByHash } from '#store/sites/blobs.ts'

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
