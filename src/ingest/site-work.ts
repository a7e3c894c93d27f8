import { noSpans } from '#observe/spans.ts'
import type { Did } from '#site/site-address.ts'
import { parseAnySiteName } from '#site/site-name.ts'
import { ingestSite } from './ingest-site.ts'
import { RefusedContents } from './read/refused-contents.ts'
import { repositoryWork } from './repository-work.ts'
import type { WorkHandler } from './run-work.ts'
import type { SyncContext } from './sync-account.ts'

/** Keeps processor and disk busy; all sites of one host share its few connections. */
export const sitesAtOnce = 32
const shares = { quick: { host: 16, domain: 24 }, slow: { host: 8, domain: 16 } }

export interface SiteWorkContext extends SyncContext {
  /** Whether there may be accounts that are only visited. */
  readonly discoversVisited?: boolean
}

/** Ingests sites that are due. */
export function siteWork(context: SiteWorkContext): WorkHandler {
  const { discoversVisited = false, spans = noSpans } = context
  const refusedContents = new RefusedContents()
  const options = { kind: 'site', atOnce: sitesAtOnce, shares, discoversVisited } as const
  const read = async ({ did, site }: { did: Did; site: string }, inLane: SyncContext) => {
    const name = parseAnySiteName(site)
    if (name === null) return
    await spans.run('ingest', { did, site: name }, async (span) => {
      span.set('outcome', await ingestSite({ did, name }, { ...inLane, refusedContents }))
    })
  }
  return repositoryWork({ ...options, read }, context)
}
