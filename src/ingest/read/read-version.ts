import type { Identity } from '#atproto/identity/identity.ts'
import { contentTypeOf } from '#http/media-type.ts'
import { type FetchContext, fetchBlobs } from '#ingest/blobs/fetch-blobs.ts'
import { keepStored } from '#ingest/blobs/keep-stored.ts'
import type { SitePath } from '#site/path.ts'
import type { FileNode } from '#site/record/manifest.ts'
import { versionDigest } from '#site/record/version-digest.ts'
import {
  decodeSnapshot,
  encodeSnapshot,
  type Snapshot,
  type SnapshotFile,
  snapshotSizeProblem,
} from '#site/visit/snapshot.ts'
import type { KnownBlob } from '#store/blobs/blobs.ts'
import { readRuleFiles } from './read-rule-files.ts'
import type { SiteContent } from './read-site.ts'
import { isSameContent, type Judgement, type RecentVersions } from './recent-versions.ts'
import type { JudgedContent, RefusedContents } from './refused-contents.ts'

export interface VersionContext extends FetchContext {
  /** Content to refuse without reading its blobs again. Left out, as in a requested sync: all blobs are read. */
  readonly refusedContents?: RefusedContents
  /** Left out: what is known of blobs is read from the database for each site and version. */
  readonly recentVersions?: RecentVersions
}

/**
 * Builds the snapshot from a site's records once all its blobs are stored and verified. An error in the site as a
 * whole refuses the version (no snapshot); a mistake in settings or rules is only a problem. Throws when the owner's
 * server is unreachable; the caller retries.
 */
export async function readVersion(
  version: Pick<Snapshot, 'did' | 'name' | 'recordCid'>,
  content: SiteContent,
  identity: Identity,
  context: VersionContext,
): Promise<Judgement> {
  if (!content.ok) return refusedVersion(content.problems, context)
  const { did, name, recordCid } = version
  const { db, limits, refusedContents } = context
  const judged: JudgedContent = { site: { did, name }, recordCid, content, limits }
  const problems = await refusedContents?.problemsOf(judged, db)
  if (problems) return refusedVersion(problems, context)
  const judgement = await judge(judged, identity, context)
  if (judgement.snapshot === null) refusedContents?.remember(judged)
  return judgement
}

async function judge(
  judged: JudgedContent,
  identity: Identity,
  context: VersionContext,
): Promise<Judgement> {
  const { site, recordCid, content } = judged
  const { db, recentVersions } = context
  const live = (await recentVersions?.live(site, db)) ?? null
  // A version record describes the site that was read just before it.
  if (live !== null && isSameContent(judged, live)) {
    if (await keepStored(live.judgement.snapshot, context)) return live.judgement
  }
  const held = live?.blobs ?? new Map()
  const fetched = await fetchBlobs(content.files, site, identity, { ...context, held })
  context.at?.('blobs-fetched')
  if (!fetched.ok) return refusedVersion(fetched.problems, context)

  const files = snapshotFiles(content.files, fetched.blobs)
  const bytes = [...files.values()].reduce((sum, file) => sum + bytesOf(file), 0)
  if (bytes > context.limits.siteBytesMax) {
    return refusedVersion([`the site is larger than ${context.limits.siteBytesMax} bytes`], context)
  }
  const { settings } = content
  const { problems, ...rules } = await readRuleFiles(files, settings, context.blobs)
  const publishedAt = millisecondsOf(content.createdAt)
  const snapshot = encodeSnapshot({ ...site, recordCid, publishedAt, settings, ...rules, files })
  const sizeProblem = snapshotSizeProblem(snapshot)
  if (sizeProblem !== null) return refusedVersion([sizeProblem], context)
  decodeSnapshot(snapshot) // a snapshot that the edge cannot read must fail here, while another version is live
  const judgement: Judgement = {
    snapshot,
    problems: [...content.problems, ...problems],
    fileCount: files.size,
    bytes,
    publishedAt,
    filesDigest: versionDigest(content.files, null),
  }
  recentVersions?.keep({ judged, judgement, blobs: fetched.blobs })
  return judgement
}

function snapshotFiles(
  nodes: ReadonlyMap<SitePath, FileNode>,
  blobs: ReadonlyMap<SitePath, KnownBlob>,
): Map<SitePath, SnapshotFile> {
  const files = new Map<SitePath, SnapshotFile>()
  for (const [path, node] of nodes) {
    const { cid, hash, coding, storedBytes, decodedBytes } = blobs.get(path) as KnownBlob
    const contentType = contentTypeOf(node.mimeType, path)
    files.set(path, { cid, hash, coding, storedBytes, bytes: decodedBytes, contentType })
  }
  return files
}

/** A gzip stream of empty blocks decodes to nothing and still takes disk space. */
const bytesOf = ({ bytes, storedBytes }: SnapshotFile): number => Math.max(bytes, storedBytes)

/** The lexicon's type accepts 30 February and the year 1: they must neither refuse a site nor fail later. */
export const millisecondsOf = (datetime: string): number => Math.max(0, Date.parse(datetime) || 0)

/** A version that does not go live; its owner reads these problems. */
export const refusedVersion = (
  problems: readonly string[],
  { now }: Pick<VersionContext, 'now'>,
): Judgement => ({
  snapshot: null,
  problems,
  fileCount: 0,
  bytes: 0,
  publishedAt: now(),
  filesDigest: null,
})
