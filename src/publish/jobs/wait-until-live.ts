import { NotPublishableError } from '#publish/not-publishable.ts'
import { accountSitesMax, tooManySites } from '#site/limits.ts'
import type { SiteAddress } from '#site/site-address.ts'
import type { Db } from '#store/database/database.ts'
import type { Hints } from '#store/database/hints.ts'
import { findSite, listSiteNames } from '#store/sites/sites.ts'

const waitMsMax = 10_000
const lookAgainMs = 250

interface WaitContext {
  readonly db: Db
  readonly hints: Hints
  readonly elapsed: (() => number) | undefined
  readonly signal: AbortSignal
}

/**
 * Whether visitors see the version with this record CID, waiting ten seconds for it at most. Throws
 * NotPublishableError when ingest has refused it, or has no room for it: an upload is turned away for that before
 * anything is written, unless another one that came meanwhile took the last place.
 */
export async function waitUntilLive(
  address: SiteAddress,
  recordCid: string,
  { db, elapsed = () => performance.now(), hints, signal }: WaitContext,
): Promise<boolean> {
  using changed = hints.subscribe('changes')
  const deadline = elapsed() + waitMsMax
  while (elapsed() < deadline && !signal.aborted) {
    const site = await findSite(db, address)
    if (site?.live?.recordCid === recordCid) return true
    if (site?.refused?.recordCid === recordCid) {
      const [problem] = site.refused.problems
      throw new NotPublishableError(
        `The site is in your repository, but cannot be served: ${problem}. The version before stays live.`,
      )
    }
    await changed.wait(lookAgainMs, signal)
  }
  if (!signal.aborted) await assertRoom(address, db)
  return false
}

async function assertRoom({ did, name }: SiteAddress, db: Db): Promise<void> {
  const known = await listSiteNames(db, did)
  if (known.length < accountSitesMax || known.includes(name)) return
  throw new NotPublishableError(
    `The site is in your repository, but cannot be served. ${tooManySites}`,
  )
}
