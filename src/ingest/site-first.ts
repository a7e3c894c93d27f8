import type { SiteAddress } from '#site/site-address.ts'
import { findWorkItem } from '#store/queues/unread.ts'
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

/** Throws SiteFirstError while the site is queued, for at most half a minute: otherwise both would fetch the same blobs. */
export async function assertSiteIsRead(
  site: SiteAddress,
  { db, now }: Pick<WorkContext, 'db' | 'now'>,
): Promise<void> {
  const queued = await findWorkItem(db, { did: site.did, site: site.name })
  if (queued === null || queued.error !== null || queued.nextAttemptAt === null) return
  if (queued.enqueuedAt > now() - waitMsMax) throw new SiteFirstError(site)
}
