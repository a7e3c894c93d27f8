import type { Identities } from '#atproto/identity/identity.ts'
import type { RecentBlocks } from '#atproto/repo/recent-blocks.ts'
import { storedBytesOf } from '#ingest/blobs/fetch-blobs.ts'
import { keepStored } from '#ingest/blobs/keep-stored.ts'
import { recordEvent } from '#observe/events.ts'
import type { Log } from '#observe/log.ts'
import { noSpans, type Spans } from '#observe/spans.ts'
import { tooManySites } from '#site/limits.ts'
import type { FileNode } from '#site/record/manifest.ts'
import { type SiteAddress, siteLabel, siteUri } from '#site/site-address.ts'
import { isServedName } from '#site/site-name.ts'
import { isKnownAccount } from '#store/accounts/accounts.ts'
import { findTakedown } from '#store/moderation/takedowns.ts'
import { enqueueSites } from '#store/queues/enqueue.ts'
import { findQuotaProblem } from '#store/sites/account-quota.ts'
import { type NewVersion, type RecordOutcome, recordVersion } from '#store/sites/record-version.ts'
import { removeSite } from '#store/sites/remove-site.ts'
import { findLiveContent } from '#store/sites/versions.ts'
import { assertStillSigns, readProven } from './read/proven-reading.ts'
import { readSite, type SiteContent } from './read/read-site.ts'
import { readVersion, refusedVersion, type VersionContext } from './read/read-version.ts'
import type { RecentTrees } from './read/recent-trees.ts'
import type { VisitedQuota } from './visited-quota.ts'
import type { WorkContext } from './work-context.ts'

/** What reading the owner's repository changed here. */
export type IngestOutcome = RecordOutcome | 'removed' | 'taken-down'

export interface IngestContext
  extends VersionContext,
    Pick<WorkContext, 'alsoServe' | 'log' | 'wakeUps'> {
  readonly identities: Pick<Identities, 'resolve'>
  /** Left out: blocks of a repository are read for each site and version. */
  readonly recentBlocks?: RecentBlocks
  /** Left out: parts are parsed for each site and version. */
  readonly recentTrees?: RecentTrees
  /** Left out: no traces. */
  readonly spans?: Spans
  /** Reserves quota, or throws. Left out: unlimited. */
  readonly visitedQuota?: Pick<VisitedQuota, 'reserve'>
}

/**
 * Makes the index agree with the owner's repository about one site. The only writer of its states; version records are
 * `ingestVersion`'s.
 * A version goes live when its record is proven and all its blobs are stored and verified; a refused version is
 * stored with its problems, and the live one stays live. Fetches and stores nothing for an unknown account or
 * a network that is not served, nor what was taken offline here. Enqueues the site once more when a purge has removed a blob that it names meanwhile. Throws,
 * with nothing changed, when the owner's server is unreachable or the signing key was replaced; the caller retries.
 */
export async function ingestSite(
  address: SiteAddress,
  context: IngestContext,
): Promise<IngestOutcome> {
  const { alsoServe, at, db, log, now, spans = noSpans } = context
  if (!isServedName(address.name, alsoServe)) return 'not-known'
  if (!(await isKnownAccount(db, address.did))) return 'not-known'
  const { identity, reading } = await spans.run('ingest.read-record', {}, () =>
    readProven(address.did, context, (identity) => readSite(address, identity, context)),
  )
  at?.('record-verified')
  if (!reading.found) {
    await assertStillSigns(identity, siteUri(address), context)
    context.recentBlocks?.forget(address.did)
    context.recentTrees?.forget(address.did)
    context.recentVersions?.forget(address.did)
    const isRemoved = await removeSite(db, address, reading.rev, now())
    at?.('site-removed')
    if (isRemoved) recordEvent(log, 'site_removed', { did: address.did, site: address.name })
    return 'removed'
  }
  // Else the blobs that were purged would be back.
  if ((await findTakedown(db, address)) !== null) return 'taken-down'
  const { cid: recordCid, rev, content } = reading
  using _ = await reserveQuota(address, reading, context)
  const admitted = await withinQuota(address, content, context)
  const read = await spans.run('ingest.read-files', { version: recordCid }, () =>
    readVersion({ ...address, recordCid }, admitted, identity, context),
  )
  // The stored size is known only now: compressed files, or one file under several paths, were less to fetch.
  const { snapshot, bytes } = read
  const problem =
    snapshot === null ? null : await findQuotaProblem(db, address, bytes, context.limits)
  const version = problem === null ? read : refusedVersion([problem], context)
  const label = siteLabel(address)
  await assertStillSigns(identity, siteUri(address), context)
  const stored = { site: address, label, recordCid, rev, ...version }
  const outcome = await recordVersion(db, stored, now(), at, context.limits)
  at?.('version-recorded')
  report(outcome, stored, log)
  if (!(await keepStored(version.snapshot, context))) {
    log.warn('blob lost, site queued', { did: address.did, site: address.name })
    await enqueueSites(context, [address])
  }
  return outcome
}

function report(
  outcome: RecordOutcome,
  { bytes, fileCount, problems, recordCid, site }: NewVersion,
  log: Log,
): void {
  const version = { did: site.did, site: site.name, version: recordCid }
  if (outcome === 'went-live') {
    recordEvent(log, 'version_live', { ...version, files: fileCount, bytes })
  } else if (outcome === 'refused' || outcome === 'too-many') {
    const reason = outcome === 'refused' ? problems.join('; ') : tooManySites
    recordEvent(log, 'version_refused', { ...version, reason })
  } else log.debug('version not changed', { ...version, outcome })
}

/** Reserves quota for the blobs to fetch; a version that is already live needs no more than it has. */
async function reserveQuota(
  address: SiteAddress,
  { cid, content }: { readonly cid: string; readonly content: SiteContent },
  { db, visitedQuota }: IngestContext,
): Promise<Disposable | undefined> {
  return await visitedQuota?.reserve(address.did, async () => {
    if (!content.ok || (await findLiveContent(db, address))?.recordCid === cid) return 0
    return bytesOf(content.files.values(), ({ blob }) => blob.size)
  })
}

/** Refuses content that would exceed the account's quota once stored, before anything is fetched. */
async function withinQuota(
  address: SiteAddress,
  content: SiteContent,
  { db, limits }: IngestContext,
): Promise<SiteContent> {
  if (!content.ok) return content
  const bytes = bytesOf(content.files.values(), storedBytesOf)
  const problem = await findQuotaProblem(db, address, bytes, limits)
  return problem === null ? content : { ok: false, problems: [problem] }
}

/** Sum of sizes; a blob that is named several times counts once. */
function bytesOf(files: Iterable<FileNode>, sizeOf: (node: FileNode) => number): number {
  const sizes = new Map([...files].map((node) => [node.blob.ref.$link, sizeOf(node)]))
  return sizes.values().reduce((sum, size) => sum + size, 0)
}
