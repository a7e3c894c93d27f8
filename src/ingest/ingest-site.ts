import type { Identities, Identity } from '#atproto/identity.ts'
import type { SafeFetch } from '#atproto/safe-fetch.ts'
import { ProofError, readVerifiedRecord, type VerifiedRecord } from '#atproto/verified-record.ts'
import type { BlobStore } from '#blobs/blob-store.ts'
import { type FileNode, parseManifest } from '#site/manifest.ts'
import { contentTypeOf } from '#site/media-type.ts'
import type { SitePath } from '#site/path.ts'
import { type SiteAddress, siteLabel } from '#site/site-address.ts'
import { encodeSnapshot, type Snapshot, type SnapshotFile } from '#site/snapshot.ts'
import type { KnownBlob } from '#store/blobs.ts'
import type { Db } from '#store/database.ts'
import { type RecordOutcome, recordVersion } from '#store/record-version.ts'
import { removeSite } from '#store/remove-site.ts'
import { fetchBlobs } from './fetch-blobs.ts'
import { readFiles } from './read-files.ts'

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
  const { identity, answer } = await readManifestRecord(address, context)
  if (!answer.found) {
    await removeSite(db, address, answer.rev, now())
    return 'removed'
  }
  const version = await readVersion(address, answer, identity, context)
  return await recordVersion(
    db,
    {
      site: address,
      label: siteLabel(address),
      recordCid: answer.cid,
      rev: answer.rev,
      ...version,
    },
    now(),
  )
}

async function readManifestRecord(
  address: SiteAddress,
  { identities, fetch }: IngestContext,
): Promise<{ identity: Identity; answer: VerifiedRecord }> {
  const read = async (identity: Identity) => ({
    identity,
    answer: await readVerifiedRecord(
      { collection: 'place.sitehost.fs', rkey: address.name },
      identity,
      fetch,
    ),
  })
  try {
    return await read(await identities.resolve(address.did))
  } catch (error) {
    if (!(error instanceof ProofError)) throw error
    // The signing key may be a new one: asked once more, with the document of this minute.
    return await read(await identities.resolve(address.did, { fresh: true }))
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
  address: SiteAddress,
  answer: VerifiedRecord & { found: true },
  identity: Identity,
  context: IngestContext,
): Promise<ReadVersion> {
  if (answer.problem !== null) return refused([answer.problem], context)
  const parsed = parseManifest(answer.record, address.name)
  if (!parsed.ok) return refused(parsed.problems, context)
  const listed = await readFiles(parsed.manifest.root, identity, context)
  if (!listed.ok) return refused(listed.problems, context)
  const fetched = await fetchBlobs(listed.files, identity, context)
  if (!fetched.ok) return refused(fetched.problems, context)

  const files = snapshotFiles(listed.files, fetched.blobs)
  const bytes = [...files.values()].reduce((sum, file) => sum + file.bytes, 0)
  if (bytes > context.limits.siteBytesMax) {
    return refused([`the site is larger than ${context.limits.siteBytesMax} bytes`], context)
  }
  const snapshot: Snapshot = {
    ...address,
    recordCid: answer.cid,
    publishedAt: Date.parse(parsed.manifest.createdAt),
    files,
  }
  return {
    snapshot: encodeSnapshot(snapshot),
    problems: [],
    fileCount: files.size,
    bytes,
    publishedAt: snapshot.publishedAt,
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
