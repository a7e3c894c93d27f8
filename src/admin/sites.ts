import type { BlobStore } from '#blobs/blob-store.ts'
import { type PurgeCount, purgeBlobs } from '#ingest/blobs/purge-blobs.ts'
import { readStored } from '#ingest/repair-site.ts'
import type { SiteAddress } from '#site/site-address.ts'
import { isKnownAccount } from '#store/accounts/accounts.ts'
import { forgetBlobs } from '#store/blobs/blobs.ts'
import { appendChange } from '#store/database/changes.ts'
import { LeaseBusyError, withLease } from '#store/leases.ts'
import { enqueueSites } from '#store/queues/enqueue.ts'
import { findLiveSnapshot } from '#store/sites/versions.ts'
import { type AdminContext, audited, type By } from './action.ts'

interface BlobContext extends AdminContext {
  readonly blobs: Pick<BlobStore, 'open' | 'list' | 'delete'>
  readonly signal: AbortSignal
}

const subjectOf = ({ did, name }: SiteAddress): string => `${did}/${name}`

/** Enqueues a site, also a parked one, to be read from its owner's server. False: its account is unknown here. */
export async function retrySite(
  site: SiteAddress,
  by: By,
  context: AdminContext,
): Promise<boolean> {
  const action = { action: 'site.retry', subject: subjectOf(site) }
  return await audited(action, by, context, async (transaction) => {
    if (!(await isKnownAccount(transaction, site.did))) return false
    await enqueueSites({ ...context, db: transaction }, [site])
    return true
  })
}

/**
 * Removes the stored bytes that only this site names. Visitors of a site that is not offline cause them to be fetched
 * again. Null: no version of the site is stored. `busy`: another purge runs, in whatever process: each reads every
 * snapshot of the service.
 */
export async function purgeSiteBlobs(
  site: SiteAddress,
  by: By,
  context: BlobContext,
): Promise<PurgeCount | 'busy' | null> {
  if ((await findLiveSnapshot(context.db, site)) === null) return null
  try {
    return await withLease(context.db, purgeLease, () => purge(site, by, context), { waitMsMax: 0 })
  } catch (error) {
    if (error instanceof LeaseBusyError) return 'busy'
    throw error
  }
}

const purgeLease = 'blob purge'

async function purge(site: SiteAddress, by: By, context: BlobContext): Promise<PurgeCount> {
  const { now, wakeUps } = context
  // Before the removal: an entry without one is better than the other way round.
  await audited(
    { action: 'site.purge-blobs', subject: subjectOf(site) },
    by,
    context,
    (transaction) => appendChange(transaction, site, now()),
  )
  const count = await purgeBlobs(site, context)
  wakeUps.notify('changes')
  context.log.info('blobs purged', { did: site.did, site: site.name, ...count })
  return count
}

export interface VerifyCount {
  readonly files: number
  readonly damaged: number
}

/**
 * Reads every stored byte of the live version. Damaged blobs are forgotten, and fetched again from the owner's server
 * soon. Null: no version is live.
 */
export async function verifySiteBlobs(
  site: SiteAddress,
  by: By,
  context: BlobContext,
): Promise<VerifyCount | null> {
  if ((await findLiveSnapshot(context.db, site)) === null) return null
  const { bad, files, isReadable } = await readStored(site, context)
  const damaged = [...files.values()].filter(({ hash }) => bad.has(hash)).length
  const count = { files: files.size, damaged }
  const action = { action: 'site.verify-blobs', subject: subjectOf(site), details: { ...count } }
  await audited(action, by, context, async (transaction) => {
    await forgetBlobs(transaction, [...bad.keys()])
    const isInOrder = isReadable && bad.size === 0
    if (!isInOrder) await enqueueSites({ ...context, db: transaction }, [site])
  })
  return count
}
