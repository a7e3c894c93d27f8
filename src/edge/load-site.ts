import type { Log } from '#observe/log.ts'
import { findEarlierAssets, type ReplacedVersion } from '#site/earlier-assets.ts'
import { replacedVersionMs } from '#site/limits.ts'
import { type ServableSite, servableSite } from '#site/servable-site.ts'
import type { SiteAddress } from '#site/site-address.ts'
import { decodeSnapshot, SnapshotFormatError } from '#site/snapshot.ts'
import type { Db } from '#store/database.ts'
import { findSiteByLabel, type ServedSite } from '#store/sites.ts'
import { listReplacedSnapshots } from '#store/versions.ts'

export interface LoadContext {
  readonly db: Db
  readonly log: Log
  readonly now: () => number
  /** Of the files of earlier versions that visitors still get. */
  readonly earlierBytesMax: number
  /** Told of a site whose stored snapshot cannot be read: it has to be made again. */
  readonly onUnreadable: (site: SiteAddress) => void
}

export interface LoadedSite {
  readonly site: ServableSite
  /** About what it takes in memory. */
  readonly bytes: number
}

/** What visitors of this label get; null without such a site. Throws SnapshotFormatError. */
export async function loadSite(label: string, context: LoadContext): Promise<LoadedSite | null> {
  const served = await findSiteByLabel(context.db, label)
  if (served === null) return null
  try {
    const live = decodeSnapshot(served.snapshot)
    const replaced = await readReplaced(served, context)
    const earlierAssets = findEarlierAssets(live.files, replaced, context.earlierBytesMax)
    const chars = served.snapshot.length + earlierAssets.size * charsOfFile
    return { site: servableSite(live, earlierAssets), bytes: chars * bytesPerChar }
  } catch (error) {
    if (error instanceof SnapshotFormatError) context.onUnreadable(served)
    throw error
  }
}

// Measured: a file takes 200 characters of a snapshot, and three times that when it is decoded.
const charsOfFile = 200
const bytesPerChar = 3

async function readReplaced(
  site: ServedSite,
  { db, log, now }: LoadContext,
): Promise<ReplacedVersion[]> {
  const kept = await listReplacedSnapshots(db, site, now() - replacedVersionMs)
  return kept.flatMap(({ versionId, replacedAt, snapshot }) => {
    try {
      return [{ files: decodeSnapshot(snapshot).files, replacedAt: replacedAt ?? 0 }]
    } catch (error) {
      // Some pages that are still open will miss a file; nobody else notices.
      log.warn('earlier version not readable', { versionId, error })
      return []
    }
  })
}
