import type { RepoStatus } from '#atproto/repo/repo-status.ts'
import { BlobStorageError } from '#blobs/blob-store.ts'
import { mapAtOnce } from '#concurrency/map-at-once.ts'
import { noDiskSpace, tooManySites } from '#site/limits.ts'
import type { Did, SiteAddress } from '#site/site-address.ts'
import type { SiteName } from '#site/site-name.ts'
import { enqueueSites } from '#store/queues/enqueue.ts'
import { findSite } from '#store/sites/sites.ts'
import { enqueueChangedVersions } from './changed-versions.ts'
import type { CheckContext } from './check-account.ts'
import { type IngestContext, ingestSite } from './ingest-site.ts'
import { readAccount } from './read-account.ts'

export const syncedSitesAtOnce = 4

export type SyncContext = CheckContext & IngestContext

export interface AccountSync {
  readonly status: RepoStatus
  /** Sites that are stored here as in their owner's repository; without removed ones. */
  readonly synced: number
  readonly errors: readonly SiteSyncError[]
}

export interface SiteSyncError {
  readonly rkey: SiteName
  /** A sentence for the owner. */
  readonly error: string
}

/**
 * Checks an account and ingests its sites, now; enqueues a site that fails, and version records that have changed. Throws
 * when the account check fails.
 */
export async function syncAccount(did: Did, context: SyncContext): Promise<AccountSync> {
  const { wakeUps, signal } = context
  const { status, siteNames, identity } = await readAccount(did, context)
  const results = await mapAtOnce(
    siteNames,
    { atOnce: syncedSitesAtOnce, signal },
    (name, signal) => syncSite({ did, name }, { ...context, signal }),
  )
  wakeUps.notify('changes')
  if (identity !== null) await enqueueChangedVersions(identity, context)
  const errors = results.filter((result) => typeof result === 'object')
  return { status, synced: results.filter((result) => result === 'synced').length, errors }
}

async function syncSite(
  address: SiteAddress,
  context: SyncContext,
): Promise<'synced' | 'removed' | SiteSyncError> {
  const { db, log, signal } = context
  const { did, name } = address
  try {
    const outcome = await ingestSite(address, context)
    if (outcome === 'too-many') return { rkey: name, error: tooManySites }
    if (outcome === 'not-known') return 'removed'
    if (outcome === 'taken-down') return { rkey: name, error: takenDown }
    if (outcome !== 'refused') return outcome === 'removed' ? outcome : 'synced'
    const problems = (await findSite(db, address))?.refused?.problems ?? []
    return { rkey: name, error: `This version is refused: ${problems.join('; ')}` }
  } catch (error) {
    signal.throwIfAborted()
    log.warn('site sync failed', { did, site: name, error })
    await enqueueSites(context, [address])
    const isDiskFull = error instanceof BlobStorageError && error.reason === 'full'
    return { rkey: name, error: isDiskFull ? noDiskSpace : unread }
  }
}

const takenDown = 'The operator of this service has taken this site offline.'

const unread =
  'Your account’s server did not send all of this site. We will try again automatically.'
