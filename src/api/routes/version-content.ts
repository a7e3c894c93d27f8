import type { ApiContext } from '#api/context.ts'
import { sentences } from '#api/contract/messages.ts'
import { ApiError } from '#api/errors.ts'
import type { SiteAddress } from '#site/site-address.ts'
import { decodeSnapshot, type Snapshot, SnapshotFormatError } from '#site/visit/snapshot.ts'
import { findSnapshotText } from '#store/lifecycle/account-data.ts'
import { findLiveSnapshot, listVersions } from '#store/sites/versions.ts'

/** The id of what visitors get. */
const liveId = 'live'
/** Before the id of a state of the site's record that no version record describes. */
const otherPrefix = 'other-'

export interface VersionContent {
  readonly snapshot: Snapshot
  /** Of its own host, with a slash at the end; null: it has none. */
  readonly url: string | null
}

/** What visitors of a version get, or got. Throws ApiError 404 without such a version, 410 when it is not kept. */
export async function contentOf(
  site: SiteAddress,
  id: string,
  { db, log, siteUrl }: Pick<ApiContext, 'db' | 'log' | 'siteUrl'>,
): Promise<VersionContent> {
  const text = id === liveId ? await findLiveSnapshot(db, site) : await findOther(site, id, db)
  try {
    return {
      snapshot: decodeSnapshot(text ?? notKept()),
      url: id === liveId ? siteUrl(site) : null,
    }
  } catch (error) {
    if (!(error instanceof SnapshotFormatError)) throw error
    log.warn('snapshot not read', { did: site.did, site: site.name, version: id, error })
    return notKept()
  }
}

async function findOther(
  site: SiteAddress,
  id: string,
  db: ApiContext['db'],
): Promise<string | null> {
  const versions = id.startsWith(otherPrefix) ? await listVersions(db, site) : []
  const version = versions.find((version) => id === `${otherPrefix}${version.id}`)
  if (version === undefined) throw new ApiError(404, sentences.versionNotFound)
  return await findSnapshotText(db, site.did, version.id)
}

function notKept(): never {
  throw new ApiError(410, sentences.filesNotKept)
}
