import type { BlobStore } from '#blobs/blob-store.ts'
import type { Log } from '#observe/log.ts'
import { resolve } from '#site/resolve.ts'
import type { Snapshot } from '#site/snapshot.ts'
import type { Db } from '#store/database.ts'
import type { Hints } from '#store/hints.ts'
import { enqueueIngest } from '#store/ingest-queue.ts'
import { notFoundPage, unavailablePage } from './pages.ts'
import { respond } from './respond.ts'
import type { Snapshots } from './snapshots.ts'

interface EdgeContext {
  readonly db: Db
  readonly blobs: BlobStore
  readonly hints: Hints
  readonly log: Log
  readonly snapshots: Snapshots
  readonly now: () => number
}

/** Answers a visitor of the site with this label. Never rejects: what fails here is a 503. */
export async function serveSite(
  label: string,
  request: Request,
  { db, blobs, hints, log, snapshots, now }: EdgeContext,
): Promise<Response> {
  const refetch = async ({ did, name }: Snapshot): Promise<void> => {
    log.warn('blob missing', { did, site: name })
    await enqueueIngest(db, [{ did, name }], now())
    hints.notify('ingest')
  }
  try {
    const snapshot = await snapshots.get(label)
    if (snapshot === null) return notFoundPage()
    const { pathname, search } = new URL(request.url)
    const decision = resolve(snapshot, { method: request.method, pathname, search })
    return await respond(decision, request, snapshot, {
      openBlob: (hash) => blobs.open(hash),
      onMissing: (missing) =>
        void refetch(missing).catch((error) => log.error('cannot ask for a blob', { error })),
    })
  } catch (error) {
    log.error('visitor not answered', { label, error })
    return unavailablePage()
  }
}
