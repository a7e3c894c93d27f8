import type { Identities, Identity } from '#atproto/identity/identity.ts'
import { ProofError } from '#atproto/repo/verified-record.ts'
import { storedBytesOf } from '#ingest/blobs/fetch-blobs.ts'
import { recordEvent } from '#observe/events.ts'
import type { Log } from '#observe/log.ts'
import { noSpans, type Spans } from '#observe/spans.ts'
import { tooManySites } from '#site/limits.ts'
import type { FileNode } from '#site/record/manifest.ts'
import { type Did, type SiteAddress, siteLabel } from '#site/site-address.ts'
import { hashesNamedIn } from '#site/visit/named-hashes.ts'
import { findSigningKey, isKnownAccount } from '#store/accounts/accounts.ts'
import { findTakedown } from '#store/moderation/takedowns.ts'
import { findQuotaProblem } from '#store/sites/account-quota.ts'
import { claimBlobs } from '#store/sites/garbage.ts'
import { type NewVersion, type RecordOutcome, recordVersion } from '#store/sites/record-version.ts'
import { removeSite } from '#store/sites/remove-site.ts'
import { findSite } from '#store/sites/sites.ts'
import { readSite, type SiteContent, type SiteReading } from './read-site.ts'
import { readVersion, refusedVersion, type VersionContext } from './read-version.ts'
import type { WorkContext } from './work-context.ts'

/** What reading the owner's repository changed here. */
export type IngestOutcome = RecordOutcome | 'removed' | 'taken-down'

export interface IngestContext extends VersionContext, Pick<WorkContext, 'log'> {
  readonly identities: Pick<Identities, 'resolve'>
  /** Left out: no traces. */
  readonly spans?: Spans
  /** Reserves quota, or throws. Left out: unlimited. */
  readonly visitedQuota?: { reserve(did: Did, bytes: number): Promise<Disposable> }
}

/**
 * Makes the index agree with the owner's repository about one site. The only writer of the index.
 * A version goes live when its record is proven and all its blobs are stored and verified; a refused version is
 * stored with its problems, and the live one stays live. Fetches and stores nothing for an unknown account, nor what
 * was taken offline here. Throws,
 * with nothing changed, when the owner's server is unreachable or the signing key was replaced; the caller retries.
 */
export async function ingestSite(
  address: SiteAddress,
  context: IngestContext,
): Promise<IngestOutcome> {
  const { at, db, log, now, spans = noSpans } = context
  if (!(await isKnownAccount(db, address.did))) return 'not-known'
  const { identity, reading } = await spans.run('ingest.read-record', {}, () =>
    readProven(address, context),
  )
  at?.('record-verified')
  if (!reading.found) {
    await assertStillSigns(identity, address, context)
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
  await assertStillSigns(identity, address, context)
  const stored = { site: address, label, recordCid, rev, ...version }
  const outcome = await recordVersion(db, stored, now(), at, context.limits)
  at?.('version-recorded')
  report(outcome, stored, log)
  // A garbage collection that has not seen this version may have marked its blobs meanwhile.
  await claimBlobs(db, [...hashesNamedIn(version.snapshot ?? '')])
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
  if (visitedQuota === undefined) return undefined
  const site = await findSite(db, address)
  if (site?.live?.recordCid === cid) return undefined
  return await visitedQuota.reserve(
    address.did,
    content.ok ? bytesOf(content.files.values(), ({ blob }) => blob.size) : 0,
  )
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

async function readProven(
  address: SiteAddress,
  context: IngestContext,
): Promise<{ identity: Identity; reading: SiteReading }> {
  const read = async (fresh: boolean) => {
    const identity = await context.identities.resolve(address.did, {
      fresh,
      signal: context.signal,
    })
    return { identity, reading: await readSite(address, identity, context) }
  }
  try {
    return await read(false)
  } catch (error) {
    if (!(error instanceof ProofError)) throw error
    // The signing key may have changed: read once more, with a fresh DID document.
    return await read(true)
  }
}

/**
 * Throws ProofError when the key was replaced: the account's former server, which has the old key, may have received
 * our request before the change and answered after it. Asks the directory if a check in any process found another key.
 */
async function assertStillSigns(
  { did, signingMultikey }: Identity,
  address: SiteAddress,
  { db, identities, signal }: IngestContext,
): Promise<void> {
  const found = await findSigningKey(db, did)
  const fresh = found !== null && found !== signingMultikey
  const current = await identities.resolve(did, { fresh, signal })
  if (current.signingMultikey === signingMultikey) return
  throw new ProofError(`at://${did}/place.sitehost.fs/${address.name}`, 'its key was replaced')
}
