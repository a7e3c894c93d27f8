import type { Identities, Identity } from '#atproto/identity.ts'
import type { SafeFetch } from '#atproto/safe-fetch.ts'
import { ProofError } from '#atproto/verified-record.ts'
import type { BlobStore } from '#blobs/blob-store.ts'
import type { FileNode } from '#site/manifest.ts'
import { contentTypeOf } from '#site/media-type.ts'
import type { SitePath } from '#site/path.ts'
import { type SiteAddress, siteLabel } from '#site/site-address.ts'
import { encodeSnapshot, type Snapshot, type SnapshotFile } from '#site/snapshot.ts'
import type { KnownBlob } from '#store/blobs.ts'
import type { Db } from '#store/database.ts'
import { type RecordOutcome, recordVersion } from '#store/record-version.ts'
import { removeSite } from '#store/remove-site.ts'
import { fetchBlobs } from './fetch-blobs.ts'
import { readSite, type SiteContent, type SiteReading } from './read-site.ts'

/** What a look at the owner's repository changed here. */
export type IngestOutcome = RecordOutcome | 'removed'

export interface IngestContext {
  readonly db: Db
  readonly blobs: BlobStore
  readonly identities: Pick<Identities, 'resolve'>
  readonly fetch: SafeFetch
  readonly limits: { readonly fileBytesMax: number; readonly siteBytesMax: number }
  readonly now: () => number
  readonly signal: AbortSignal
}

/**
 * Makes the index agree with the owner's repository about one site. The only writer of the index.
 * A version goes live when its record is proven and every blob of it is here and verified; one that is
 * refused is stored with its problems, and what was live stays live. Throws when the owner's server
 * cannot be asked: nothing has changed then, and the caller tries again.
 */
export async function ingestSite(
  address: SiteAddress,
  context: IngestContext,
): Promise<IngestOutcome> {
  const { db, now } = context
  const { identity, reading } = await readProven(address, context)
  if (!reading.found) {
    await removeSite(db, address, reading.rev, now())
    return 'removed'
  }
  const { cid: recordCid, rev, content } = reading
  const version = await readVersion({ ...address, recordCid }, content, identity, context)
  const label = siteLabel(address)
  return await recordVersion(db, { site: address, label, recordCid, rev, ...version }, now())
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

interface ReadVersion {
  readonly snapshot: string | null
  readonly problems: readonly string[]
  readonly fileCount: number
  readonly bytes: number
  readonly publishedAt: number
}

async function readVersion(
  version: Pick<Snapshot, 'did' | 'name' | 'recordCid'>,
  content: SiteContent,
  identity: Identity,
  context: IngestContext,
): Promise<ReadVersion> {
  if (!content.ok) return refused(content.problems, context)
  const fetched = await fetchBlobs(content.files, identity, context)
  if (!fetched.ok) return refused(fetched.problems, context)

  const files = snapshotFiles(content.files, fetched.blobs)
  const bytes = [...files.values()].reduce((sum, file) => sum + file.bytes, 0)
  if (bytes > context.limits.siteBytesMax) {
    return refused([`the site is larger than ${context.limits.siteBytesMax} bytes`], context)
  }
  const publishedAt = Date.parse(content.createdAt)
  return {
    snapshot: encodeSnapshot({ ...version, publishedAt, files }),
    problems: [],
    fileCount: files.size,
    bytes,
    publishedAt,
  }
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

const refused = (problems: readonly string[], { now }: IngestContext): ReadVersion => ({
  snapshot: null,
  problems,
  fileCount: 0,
  bytes: 0,
  publishedAt: now(),
})
