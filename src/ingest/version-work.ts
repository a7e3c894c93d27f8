import { noSpans } from '#observe/spans.ts'
import type { Did } from '#site/site-address.ts'
import { parseVersionKey } from '#site/version-key.ts'
import { ingestVersion } from './ingest-version.ts'
import { repositoryWork } from './repository-work.ts'
import type { WorkHandler } from './run-work.ts'
import type { SyncContext } from './sync-account.ts'

/** Few: most of a version's blobs are here already. */
export const versionsAtOnce = 8
/** Lanes for versions on slow servers. */
export const slowVersionsMax = 8
const shares = { quick: { host: 4, domain: 6 }, slow: { host: 2, domain: 4 } }

/** Ingests version records that are due, apart from sites, which never wait for them. */
export function versionWork(context: SyncContext): WorkHandler {
  const { spans = noSpans } = context
  const options = { kind: 'version', atOnce: versionsAtOnce, detachedMax: slowVersionsMax } as const
  const read = async ({ did, site }: { did: Did; site: string }, inLane: SyncContext) => {
    const key = parseVersionKey(site)
    if (key === null) return
    await spans.run('ingest.version', { did, key }, async (span) => {
      span.set('outcome', await ingestVersion({ did, key }, inLane))
    })
  }
  // Of accounts that are only visited, nothing is fetched.
  return repositoryWork({ ...options, shares, discoversVisited: false, read }, context)
}
