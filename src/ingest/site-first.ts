import type { VersionRecord } from '#site/record/version-record.ts'
import type { Did, SiteAddress } from '#site/site-address.ts'
import { findWorkItem } from '#store/queues/unread.ts'
import { findSite } from '#store/sites/sites.ts'
import type { WorkContext } from './work-context.ts'

const waitMsMax = 30_000
export const siteFirstRetryMs = 500

/** A version has to wait until its site has been read, which stores most of the same blobs. */
export class SiteFirstError extends Error {
  override readonly name = 'SiteFirstError'

  constructor({ did, name }: SiteAddress) {
    super(`the site is read first; site=${did}/${name}`)
  }
}

/**
 * Throws SiteFirstError while the version's site is queued, for at most half a minute: otherwise both would fetch the same
 * blobs. Not if the version is the one that is live: its blobs are here.
 */
export async function assertSiteIsRead(
  did: Did,
  { site: name, manifest }: Pick<VersionRecord, 'site' | 'manifest'>,
  { db, now }: Pick<WorkContext, 'db' | 'now'>,
): Promise<void> {
  const queued = await findWorkItem(db, { did, site: name })
  if (queued === null || queued.error !== null || queued.nextAttemptAt === null) return
  if (queued.enqueuedAt <= now() - waitMsMax) return
  const site = { did, name }
  const isLive = manifest !== undefined && (await findSite(db, site))?.live?.recordCid === manifest
  if (!isLive) throw new SiteFirstError(site)
}
