import type { SiteAddress } from '#site/site-address.ts'
import type { Db } from '#store/database.ts'
import type { Hints } from '#store/hints.ts'
import { findSite } from '#store/sites.ts'
import { NotPublishableError } from './not-publishable.ts'

const waitMsMax = 10_000
const lookAgainMs = 250

interface WaitContext {
  readonly db: Db
  readonly hints: Hints
  readonly now: () => number
  readonly signal: AbortSignal
}

/**
 * Whether visitors see the version with this record CID, waiting ten seconds for it at most. Throws
 * NotPublishableError when ingest has refused it.
 */
export async function waitUntilLive(
  address: SiteAddress,
  recordCid: string,
  { db, hints, now, signal }: WaitContext,
): Promise<boolean> {
  using changed = hints.subscribe('changes')
  const deadline = now() + waitMsMax
  while (now() < deadline && !signal.aborted) {
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
  return false
}
