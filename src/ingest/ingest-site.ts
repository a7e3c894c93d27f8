import type { Identities, Identity } from '#atproto/identity/identity.ts'
import { ProofError } from '#atproto/repo/verified-record.ts'
import type { BlobStore } from '#blobs/blob-store.ts'
import type { Lane } from '#concurrency/lane.ts'
import { storedBytesOf } from '#ingest/blobs/fetch-blobs.ts'
import type { SafeFetch } from '#outbound/safe-fetch.ts'
import type { SiteLimits } from '#site/limits.ts'
import type { FileNode } from '#site/record/manifest.ts'
import { type Did, type SiteAddress, siteLabel } from '#site/site-address.ts'
import { hashesNamedIn } from '#site/visit/named-hashes.ts'
import { findSigningKey, isKnownAccount } from '#store/accounts/accounts.ts'
import type { Db } from '#store/database/database.ts'
import { findQuotaProblem } from '#store/sites/account-bytes.ts'
import { claimBlobs } from '#store/sites/garbage.ts'
import { type RecordOutcome, recordVersion } from '#store/sites/record-version.ts'
import { removeSite } from '#store/sites/remove-site.ts'
import { findSite } from '#store/sites/sites.ts'
import type { AtIngestPoint } from './fail-points.ts'
import { readSite, type SiteContent, type SiteReading } from './read-site.ts'
import { readVersion, refusedVersion } from './read-version.ts'
import type { RefusedContents } from './refused-contents.ts'

/** What a look at the owner's repository changed here. */
export type IngestOutcome = RecordOutcome | 'removed'

export interface IngestContext {
  readonly db: Db
  readonly blobs: BlobStore
  readonly identities: Pick<Identities, 'resolve'>
  readonly fetch: SafeFetch
  readonly limits: SiteLimits
  /** Throws where there is none. Left out: there always is. */
  readonly room?: { hold(did: Did, bytes: number): Promise<Disposable> }
  readonly now: () => number
  readonly signal: AbortSignal
  readonly at?: AtIngestPoint
  readonly lane?: Pick<Lane, 'isHeldUp'>
  /** Left out, as where somebody asks for a look: what was refused a moment ago is looked at once more. */
  readonly refusedContents?: RefusedContents
}

/**
 * Makes the index agree with the owner's repository about one site. The only writer of the index.
 * A version goes live when its record is proven and every blob of it is here and verified; one that is
 * refused is stored with its problems, and what was live stays live. Of an account that is not known nothing is
 * fetched, nor stored. Throws when the owner's server cannot be asked, or when the key that signed is the account's no
 * more: nothing has changed then, and the caller tries again.
 */
export async function ingestSite(
  address: SiteAddress,
  context: IngestContext,
): Promise<IngestOutcome> {
  const { at, db, now } = context
  if (!(await isKnownAccount(db, address.did))) return 'not-known'
  const { identity, reading } = await readProven(address, context)
  at?.('record-verified')
  if (!reading.found) {
    await assertStillSigns(identity, address, context)
    await removeSite(db, address, reading.rev, now())
    at?.('site-removed')
    return 'removed'
  }
  const { cid: recordCid, rev, content } = reading
  using _ = await reserveQuota(address, reading, context)
  const admitted = await withinQuota(address, content, context)
  const read = await readVersion({ ...address, recordCid }, admitted, identity, context)
  // Its files are known only now: compressed, or the same under several paths, they were less to fetch.
  const { snapshot, bytes } = read
  const problem =
    snapshot === null ? null : await findQuotaProblem(db, address, bytes, context.limits)
  const version = problem === null ? read : refusedVersion([problem], context)
  const label = siteLabel(address)
  await assertStillSigns(identity, address, context)
  const stored = { site: address, label, recordCid, rev, ...version }
  const outcome = await recordVersion(db, stored, now(), at)
  at?.('version-recorded')
  // Whoever collects garbage and has not seen this version may have marked its blobs meanwhile.
  await claimBlobs(db, [...hashesNamedIn(version.snapshot ?? '')])
  return outcome
}

/** For what is to be fetched: a version that is live already takes no more than it does. */
async function reserveQuota(
  address: SiteAddress,
  { cid, content }: { readonly cid: string; readonly content: SiteContent },
  { db, room }: IngestContext,
): Promise<Disposable | undefined> {
  if (room === undefined) return undefined
  const site = await findSite(db, address)
  if (site?.live?.recordCid === cid) return undefined
  return await room.hold(address.did, declaredBytes(content))
}

/**
 * Before anything of it is fetched: the account has no room even for what would be stored of it. What was live stays
 * live.
 */
async function withinQuota(
  address: SiteAddress,
  content: SiteContent,
  { db, limits }: IngestContext,
): Promise<SiteContent> {
  if (!content.ok) return content
  const bytes = storedBytes(content.files.values())
  const problem = await findQuotaProblem(db, address, bytes, limits)
  return problem === null ? content : { ok: false, problems: [problem] }
}

function storedBytes(files: Iterable<FileNode>): number {
  const sizes = new Map([...files].map((node) => [node.blob.ref.$link, storedBytesOf(node)]))
  return sizes.values().reduce((sum, size) => sum + size, 0)
}

/** That the manifest says its blobs have; a blob that is named several times counts once. */
function declaredBytes(content: SiteContent): number {
  if (!content.ok) return 0
  const sizes = new Map([...content.files.values()].map(({ blob }) => [blob.ref.$link, blob.size]))
  return sizes.values().reduce((sum, size) => sum + size, 0)
}

async function readProven(
  address: SiteAddress,
  context: IngestContext,
): Promise<{ identity: Identity; reading: SiteReading }> {
  const { identities, signal } = context
  const read = async (identity: Identity) => ({
    identity,
    reading: await readSite(address, identity, context),
  })
  try {
    return await read(await identities.resolve(address.did, { signal }))
  } catch (error) {
    if (!(error instanceof ProofError)) throw error
    // The signing key may be a new one: asked once more, with the document of this minute.
    return await read(await identities.resolve(address.did, { fresh: true, signal }))
  }
}

/**
 * The server that an account has left, which has its old key, may have been asked before the change and answered after it.
 * Throws ProofError. A check, of whichever process, may have found another key than we know; then the directory is asked.
 */
async function assertStillSigns(
  { did, signingKey }: Identity,
  address: SiteAddress,
  { db, identities, signal }: IngestContext,
): Promise<void> {
  const key = await signingKey.exportPublicKey('multikey')
  const found = await findSigningKey(db, did)
  const fresh = found !== null && found !== key
  const current = await identities.resolve(did, { fresh, signal })
  if ((await current.signingKey.exportPublicKey('multikey')) === key) return
  throw new ProofError(`at://${did}/place.sitehost.fs/${address.name}`, 'its key was replaced')
}
