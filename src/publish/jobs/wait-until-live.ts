import { accountSitesMax, tooManySites } from '#site/limits.ts'
import type { SiteAddress } from '#site/site-address.ts'
import type { Db } from '#store/database/database.ts'
import { findSite, listSiteNames } from '#store/sites/sites.ts'
import type { IngestWatch } from './ingest-watch.ts'

export type Visibility =
  | { readonly kind: 'live' }
  /** Visitors do not see it yet. */
  | { readonly kind: 'pending' }
  /** Visitors will never see it; the sentence is for its owner. */
  | { readonly kind: 'refused'; readonly sentence: string }

/**
 * Whether visitors see the version with this record CID, once ingest has read it. Ingest may refuse it, or have no
 * quota left for it: uploads over quota are rejected before anything is written, unless a concurrent upload used up
 * the quota meanwhile.
 */
export async function waitUntilLive(
  address: SiteAddress,
  recordCid: string,
  db: Db,
  watch: IngestWatch,
): Promise<Visibility> {
  const { did, name: site } = address
  const seen = await watch({ kind: 'site', did, site }, async (): Promise<Visibility | null> => {
    const site = await findSite(db, address)
    if (site?.live?.recordCid === recordCid) return { kind: 'live' }
    if (site?.refused?.recordCid !== recordCid) return null
    const [problem] = site.refused.problems
    return refused(`cannot be served: ${problem}. The version before stays live.`)
  })
  if (seen !== null) return seen
  const known = await listSiteNames(db, address.did)
  if (known.length < accountSitesMax || known.includes(address.name)) return { kind: 'pending' }
  return refused(`cannot be served. ${tooManySites}`)
}

const refused = (what: string): Visibility => ({
  kind: 'refused',
  sentence: `The site is in your repository, but ${what}`,
})
