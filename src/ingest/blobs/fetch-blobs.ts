import type { Identity } from '#atproto/identity/identity.ts'
import { BlobMismatchError, fetchBlob } from '#atproto/repo/verified-blob.ts'
import { BlobLostError, type BlobStore } from '#blobs/blob-store.ts'
import type { Lane } from '#concurrency/lane.ts'
import { mapAtOnce } from '#concurrency/map-at-once.ts'
import type { WorkContext } from '#ingest/work-context.ts'
import type { SafeFetch } from '#outbound/safe-fetch.ts'
import type { SiteLimits } from '#site/limits.ts'
import { problemsMax, quickInflatedBytesMax } from '#site/limits.ts'
import type { SitePath } from '#site/path.ts'
import { type BlobKey, blobKeyOf, blobKeyText } from '#site/record/blob-key.ts'
import type { FileNode } from '#site/record/manifest.ts'
import { findBlobs, type KnownBlob, rememberBlob } from '#store/sites/blobs.ts'
import { claimBlobs } from '#store/sites/garbage.ts'
import { storeDecoded } from './decode-blob.ts'
import { UndecodableBlobError } from './undecodable-blob.ts'

export const blobsAtOnce = 4
const looksAtOnce = 64

export interface FetchContext extends Omit<WorkContext, 'log' | 'wakeUps'> {
  readonly blobs: BlobStore
  readonly fetch: SafeFetch
  /** Of decoded bytes and of stored ones; a blob that is named several times counts once. */
  readonly limits: SiteLimits
  /** Its `isHeldUp` is called when the blobs inflate to more than `quickInflatedBytesMax`. */
  readonly lane?: Pick<Lane, 'isHeldUp' | 'ownWait'>
}

export type BlobsResult =
  | { readonly ok: true; readonly blobs: ReadonlyMap<SitePath, KnownBlob> }
  | { readonly ok: false; readonly problems: string[] }

/**
 * Makes every blob of these files present and verified here. A blob that is not what the manifest says
 * is a problem of the version; a server that does not answer is thrown, to be tried again.
 */
export async function fetchBlobs(
  files: ReadonlyMap<SitePath, FileNode>,
  identity: Identity,
  context: FetchContext,
): Promise<BlobsResult> {
  const { limits, signal } = context
  const different = new Map([...files].map(([path, node]) => [keyText(node), { path, node }]))
  const present = await presentBlobs(
    [...different.values()].map(({ node }) => blobKeyOf(node)),
    context,
  )
  const missing = [...different].filter(([key]) => !present.has(key))
  const claimedBytes = missing.reduce((sum, [, { node }]) => sum + storedBytesOf(node), 0)
  let decodedBytes = [...present.values()].reduce((sum, blob) => sum + blob.decodedBytes, 0)
  // Before anything is fetched: nobody can make us store more than a site may hold.
  if (decodedBytes + claimedBytes > limits.siteBytesMax) return siteTooLarge(limits)

  const problems: string[] = []
  const onInflated = slowWhenMuch(context)
  await mapAtOnce(
    missing,
    { atOnce: blobsAtOnce, signal },
    async ([key, { path, node }], signal) => {
      if (decodedBytes > limits.siteBytesMax || problems.length >= problemsMax) return
      try {
        const blob = await fetchOne(node, identity, { ...context, onInflated, signal })
        present.set(key, blob)
        decodedBytes += blob.decodedBytes
      } catch (error) {
        if (!isRefusal(error)) throw error
        problems.push(problemOf(path, reasonOf(error)))
      }
    },
  )
  if (problems.length > 0) return { ok: false, problems }
  if (decodedBytes > limits.siteBytesMax) return siteTooLarge(limits)
  return blobsOf(files, present)
}

/** A size that the record lies about counts also where the blob was known, or another file names it rightly. */
function blobsOf(
  files: ReadonlyMap<SitePath, FileNode>,
  present: ReadonlyMap<string, KnownBlob>,
): BlobsResult {
  const blobs = new Map<SitePath, KnownBlob>()
  const problems: string[] = []
  for (const [path, node] of files) {
    const blob = present.get(keyText(node)) as KnownBlob
    if (node.blob.size !== rawBytesOf(blob)) problems.push(problemOf(path, notNamed))
    blobs.set(path, blob)
  }
  if (problems.length > 0) return { ok: false, problems: problems.slice(0, problemsMax) }
  return { ok: true, blobs }
}

/** What the blob has in its repository: base64 as we take it has no other length. */
const rawBytesOf = ({ storedBytes, base64 }: KnownBlob): number =>
  base64 ? Math.ceil(storedBytes / 3) * 4 : storedBytes

function siteTooLarge({ siteBytesMax }: FetchContext['limits']): BlobsResult {
  return { ok: false, problems: [`the site is larger than ${siteBytesMax} bytes`] }
}

/** What a blob takes on our disk, where base64 is undone: up to its padding. */
export function storedBytesOf({ blob, base64 }: FileNode): number {
  return base64 ? Math.max(0, (blob.size / 4) * 3 - 2) : blob.size
}

async function presentBlobs(
  keys: readonly BlobKey[],
  { db, blobs, signal }: FetchContext,
): Promise<Map<string, KnownBlob>> {
  const known = await findBlobs(db, keys)
  await claimBlobs(
    db,
    known.map(({ hash }) => hash),
  )
  const isStored = await mapAtOnce(known, { atOnce: looksAtOnce, signal }, ({ hash }) =>
    blobs.has(hash),
  )
  return new Map(known.filter((_, i) => isStored[i]).map((blob) => [blobKeyText(blob), blob]))
}

/** Counts what is inflated, of all blobs together. */
function slowWhenMuch({ lane }: FetchContext): (bytes: number) => void {
  let inflatedBytes = 0
  return (bytes) => {
    const wasMuch = inflatedBytes > quickInflatedBytesMax
    inflatedBytes += bytes
    if (!wasMuch && inflatedBytes > quickInflatedBytesMax) lane?.isHeldUp()
  }
}

interface FetchOneContext extends FetchContext {
  readonly onInflated: (bytes: number) => void
}

async function fetchOne(
  node: FileNode,
  identity: Identity,
  { at, db, blobs, fetch, lane, limits, now, onInflated, signal }: FetchOneContext,
): Promise<KnownBlob> {
  const key = blobKeyOf(node)
  const { fileBytesMax: decodedBytesMax } = limits
  if (storedBytesOf(node) > decodedBytesMax) {
    throw new UndecodableBlobError(`is larger than ${decodedBytesMax} bytes`)
  }
  const raw = fetchBlob({ cid: key.cid, size: node.blob.size }, identity, fetch, signal)
  const inflating = { lane, owner: identity.did, onInflated, signal }
  const decoded = await storeDecoded(raw, key, { blobs, decodedBytesMax, ...inflating })
  at?.('blob-stored')
  const blob: KnownBlob = { ...key, ...decoded }
  await rememberBlob(db, blob, now())
  at?.('blob-remembered')
  // Its bytes may have been here as garbage, and removed until this moment.
  if (!(await blobs.has(blob.hash))) throw new BlobLostError(blob.hash)
  return blob
}

type Refusal = BlobMismatchError | UndecodableBlobError

const isRefusal = (error: unknown): error is Refusal =>
  error instanceof BlobMismatchError || error instanceof UndecodableBlobError

const notNamed = 'is not what the record names'

const reasonOf = (error: Refusal): string =>
  error instanceof BlobMismatchError ? notNamed : error.message

const problemOf = (path: SitePath, reason: string): string => `${JSON.stringify(path)} ${reason}`

const keyText = (node: FileNode): string => blobKeyText(blobKeyOf(node))
