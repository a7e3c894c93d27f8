import type { BlobStore } from '#blobs/blob-store.ts'
import type { Log } from '#observe/log.ts'
import { resolve } from '#site/resolve.ts'
import type { BlobRequests } from './blob-requests.ts'
import { notFoundPage, unavailablePage } from './pages.ts'
import { respond } from './respond.ts'
import type { Snapshots } from './snapshots.ts'

interface EdgeContext {
  readonly blobs: BlobStore
  readonly blobRequests: BlobRequests
  readonly log: Log
  readonly snapshots: Snapshots
}

/** Answers a visitor of the site with this label. Never rejects: what fails here is a 503. */
export async function serveSite(
  label: string,
  request: Request,
  { blobs, blobRequests, log, snapshots }: EdgeContext,
): Promise<Response> {
  try {
    const snapshot = await snapshots.get(label)
    if (snapshot === null) return notFoundPage()
    const { pathname, search } = new URL(request.url)
    const decision = resolve(snapshot, { method: request.method, pathname, search })
    return await respond(decision, request, snapshot, {
      openBlob: (hash) => blobs.open(hash),
      onMissing: (missing) => void blobRequests.ask(missing),
    })
  } catch (error) {
    log.error('visitor not answered', { label, error })
    return unavailablePage()
  }
}
