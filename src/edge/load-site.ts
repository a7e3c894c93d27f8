import { runInSlices, yieldEventLoop } from '#concurrency/yield-event-loop.ts'
import type { SnapshotSource } from '#edge/files/missing-blobs.ts'
import { findLiveOrigin, type OriginContext } from '#edge/names/live-origin.ts'
import type { Log } from '#observe/log.ts'
import { versionUri } from '#site/site-address.ts'
import { isVersionLabel } from '#site/version-label.ts'
import { isHashedAsset, mayNameHashedAsset } from '#site/visit/cache-control.ts'
import { type EarlierFiles, findEarlierAssets } from '#site/visit/earlier-assets.ts'
import { type ServableSite, servableSiteSteps } from '#site/visit/servable-site.ts'
import {
  decodeFiles,
  decodeSnapshotSteps,
  type Snapshot,
  SnapshotFormatError,
} from '#site/visit/snapshot.ts'
import { earlierVersions } from '#store/sites/earlier-versions.ts'
import { findSiteByLabel, type ServedSite } from '#store/sites/sites.ts'
import { findVersionByLabel } from '#store/sites/version-records/version-addresses.ts'

export interface LoadContext extends OriginContext {
  readonly log: Log
  readonly now: () => number
  /** Total size of the files of earlier versions that visitors still get. */
  readonly earlierBytesMax: number
  /** How long a CDN may keep pages of live sites; left out: not at all. */
  readonly cdnSeconds?: number
  /** Called with a site or version whose stored snapshot cannot be read and must be rebuilt. */
  readonly onUnreadable: (source: SnapshotSource) => void
}

export interface LoadedSite {
  readonly site: ServableSite
  /** The origin of its primary address, or of a version's live site; null: it has no primary one. */
  readonly canonical: string | null
  /** Milliseconds since the epoch; not served from then on. */
  readonly until: number
  /** Approximate size in memory. */
  readonly bytes: number
}

/** The live site, or the version, with this label. Null: there is none. Throws SnapshotFormatError. */
export function loadSite(label: string, context: LoadContext): Promise<LoadedSite | null> {
  return isVersionLabel(label) ? loadVersion(label, context) : loadLive(label, context)
}

async function loadLive(label: string, context: LoadContext): Promise<LoadedSite | null> {
  const served = await findSiteByLabel(context.db, label)
  if (served === null) return null
  try {
    const live = await runInSlices(decodeSnapshotSteps(served.snapshot))
    const earlier = readEarlier(served, live.files, context)
    const earlierAssets = await findEarlierAssets(live.files, earlier, context.earlierBytesMax)
    await yieldEventLoop()
    // The owner's date may be in the future, or before the one of the replaced version.
    const liveSince = Math.min(served.liveSince, context.now())
    const { cdnSeconds = 0 } = context
    const site = await runInSlices(
      servableSiteSteps(live, { cdnSeconds, earlierAssets, liveSince }),
    )
    const { primaryDomain } = served
    return {
      site,
      canonical: primaryDomain === null ? null : context.originOf(primaryDomain),
      bytes: bytesOf(site, served.snapshot.length),
      until: Number.POSITIVE_INFINITY,
    }
  } catch (error) {
    if (error instanceof SnapshotFormatError) context.onUnreadable(served)
    throw error
  }
}

/** Without assets of other versions. */
async function loadVersion(label: string, context: LoadContext): Promise<LoadedSite | null> {
  const served = await findVersionByLabel(context.db, label, context.now())
  if (served === null || 'isGone' in served) return null
  const { did, name, key, cid, expiresAt } = served
  try {
    const snapshot = await runInSlices(decodeSnapshotSteps(served.snapshot))
    const liveSince = Math.min(snapshot.publishedAt, context.now())
    const record = { uri: versionUri(did, key), cid, versionKey: key }
    const site = await runInSlices(servableSiteSteps(snapshot, { liveSince, record }))
    return {
      site,
      canonical: await findLiveOrigin(served, context),
      bytes: bytesOf(site, served.snapshot.length),
      until: expiresAt ?? Number.POSITIVE_INFINITY,
    }
  } catch (error) {
    if (error instanceof SnapshotFormatError) context.onUnreadable({ did, name, versionKey: key })
    throw error
  }
}

// Measured (Bun 1.4.5): a file takes its path and 200 characters of a snapshot. Decoded, a snapshot takes 1.4 to 3.1
// bytes per character. Compiled rules take up to 47 bytes per character of their text (sixty names in a path), and
// each rule, block and header 460 more.
const charsOfFile = 200
const bytesPerChar = 3
const bytesPerRuleChar = 45
const bytesPerRule = 500

function bytesOf(
  { snapshot, settings, redirects, headers, earlierAssets }: ServableSite,
  snapshotChars: number,
): number {
  let chars = snapshotChars
  for (const path of earlierAssets.keys()) chars += path.length + charsOfFile
  const settingsChars = JSON.stringify(settings.headers).length - '[]'.length
  const ruleChars = snapshot.headers.length + snapshot.redirects.length + settingsChars
  const { forced, unforced } = redirects
  const rules = forced.size + unforced.size + headers.blocks.size + headers.changeCount
  return chars * bytesPerChar + ruleChars * bytesPerRuleChar + rules * bytesPerRule
}

/** One at a time, yielding to the event loop before each: there may be ten, of several MiB each. */
async function* readEarlier(
  site: ServedSite,
  live: Snapshot['files'],
  { db, log, now }: LoadContext,
): AsyncGenerator<EarlierFiles> {
  for await (const { id, snapshot, until } of earlierVersions(db, site, now())) {
    await yieldEventLoop()
    if (!mayNameHashedAsset(snapshot)) continue
    try {
      const isWanted = (path: string): boolean => !live.has(path) && isHashedAsset(path)
      yield { files: decodeFiles(snapshot, isWanted), until }
    } catch (error) {
      // Only pages that are still open can miss a file.
      log.warn('earlier version not readable', { versionId: id, error })
    }
  }
}
