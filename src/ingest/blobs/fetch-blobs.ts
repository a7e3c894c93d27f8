import type { Identity } from '#atproto/identity/identity.ts'
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
import type { SiteAddress } from '#site/site-address.ts'
import { type KnownBlob, rememberBlob } from '#store/blobs/blobs.ts'
import { claimBlobs } from '#store/blobs/garbage.ts'
import { findHeldBlobs } from '#store/blobs/held-blobs.ts'
import { rememberReceived } from '#store/blobs/received-blobs.ts'
import { inSharedTransaction } from '#store/database/shared-transaction.ts'
import { type OnInflated, storeDecoded } from './decode-blob.ts'
import { BlobMismatchError, fetchBlob } from './fetch-blob.ts'
import { presenceChecksAtOnce } from './keep-stored.ts'
import { UndecodableBlobError } from './undecodable-blob.ts'

export const blobsAtOnce = 4

export interface FetchContext extends Omit<WorkContext, 'log' | 'wakeUps'> {
  readonly blobs: BlobStore
  readonly fetch: SafeFetch
  /** For decoded and for stored bytes; a blob that is named several times counts once. */
  readonly limits: SiteLimits
  /** Its `isHeldUp` is called when the gzip, or what it inflates to, is more than `quickInflatedBytesMax`. */
  readonly lane?: Pick<Lane, 'isHeldUp' | 'ownWait'>
  /** What is known of blobs that the site's live version names, by path. Left out: it is read from the database. */
  readonly held?: ReadonlyMap<SitePath, KnownBlob>
}

export type BlobsResult =
  | { readonly ok: true; readonly blobs: ReadonlyMap<SitePath, KnownBlob> }
  | { readonly ok: false; readonly problems: string[] }

/**
 * Fetches, verifies and stores every blob of these files that is missing here, or that only other accounts were found to
 * have. A blob that is not what the manifest says is a problem of the version. Throws when the server does not answer;
 * the caller retries.
 */
export async function fetchBlobs(
  files: ReadonlyMap<SitePath, FileNode>,
  site: SiteAddress,
  identity: Identity,
  context: FetchContext,
): Promise<BlobsResult> {
  const { limits, signal } = context
  const different = new Map([...files].map(([path, node]) => [keyText(node), { path, node }]))
  const present = await presentBlobs([...different.values()], site, context)
  const missing = [...different].filter(([key]) => !present.has(key))
  const claimedBytes = missing.reduce((sum, [, { node }]) => sum + storedBytesOf(node), 0)
  let decodedBytes = [...present.values()].reduce((sum, blob) => sum + blob.decodedBytes, 0)
  // Before anything is fetched: nobody can make us store more than a site may hold.
  if (decodedBytes + claimedBytes > limits.siteBytesMax) return siteTooLarge(limits)

  const problems: string[] = []
  const inflating = { onInflated: slowWhenMuch(context), owner: {} }
  await mapAtOnce(
    missing,
    { atOnce: blobsAtOnce, signal },
    async ([key, { path, node }], signal) => {
      if (decodedBytes > limits.siteBytesMax || problems.length >= problemsMax) return
      try {
        const blob = await fetchOne(node, identity, inflating, { ...context, signal })
        present.set(key, blob)
        decodedBytes += blob.decodedBytes
      } catch (error) {
        if (error instanceof BlobMismatchError) problems.push(problemOf(path, notNamed))
        else if (error instanceof UndecodableBlobError)
          problems.push(problemOf(path, error.message))
        else throw error
      }
    },
  )
  if (problems.length > 0) return { ok: false, problems }
  if (decodedBytes > limits.siteBytesMax) return siteTooLarge(limits)
  return blobsOf(files, present)
}

/** A wrong size in the record is a problem even if the blob was known or another file has its right size. */
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

/** Bytes of the blob in its repository: the base64 that `decodeBase64` accepts has exactly this length. */
const rawBytesOf = ({ storedBytes, base64 }: KnownBlob): number =>
  base64 ? Math.ceil(storedBytes / 3) * 4 : storedBytes

function siteTooLarge({ siteBytesMax }: FetchContext['limits']): BlobsResult {
  return { ok: false, problems: [`the site is larger than ${siteBytesMax} bytes`] }
}

/** Bytes of a blob on our disk, where base64 is decoded; without its padding. */
export function storedBytesOf({ blob, base64 }: FileNode): number {
  return base64 ? Math.max(0, (blob.size / 4) * 3 - 2) : blob.size
}

async function presentBlobs(
  files: readonly { readonly path: SitePath; readonly node: FileNode }[],
  site: SiteAddress,
  { blobs, db, held, signal }: FetchContext,
): Promise<Map<string, KnownBlob>> {
  const known: KnownBlob[] = []
  const others: BlobKey[] = []
  for (const { path, node } of files) {
    const key = blobKeyOf(node)
    const blob = held?.get(path)
    if (blob !== undefined && blobKeyText(blob) === blobKeyText(key)) known.push(blob)
    else others.push(key)
  }
  if (others.length > 0) known.push(...(await findHeldBlobs(db, site, others)))
  await claimBlobs(
    db,
    known.map(({ hash }) => hash),
  )
  const isStored = await mapAtOnce(known, { atOnce: presenceChecksAtOnce, signal }, ({ hash }) =>
    blobs.has(hash),
  )
  return new Map(known.filter((_, i) => isStored[i]).map((blob) => [blobKeyText(blob), blob]))
}

/** Counts the bytes of all blobs together, of the gzip too: blocks with little content cost more time than others. */
function slowWhenMuch({ lane }: FetchContext): OnInflated {
  const sums = { gzip: 0, content: 0 }
  const isMuch = (): boolean => Math.max(sums.gzip, sums.content) > quickInflatedBytesMax
  return (bytes, of) => {
    const wasMuch = isMuch()
    sums[of] += bytes
    if (!wasMuch && isMuch()) lane?.isHeldUp()
  }
}

async function fetchOne(
  node: FileNode,
  identity: Identity,
  { onInflated, owner }: { readonly onInflated: OnInflated; readonly owner: object },
  { at, db, blobs, fetch, lane, limits, now, signal }: FetchContext,
): Promise<KnownBlob> {
  const key = blobKeyOf(node)
  const { fileBytesMax: decodedBytesMax } = limits
  if (storedBytesOf(node) > decodedBytesMax) {
    throw new UndecodableBlobError(`is larger than ${decodedBytesMax} bytes`)
  }
  const raw = fetchBlob({ cid: key.cid, size: node.blob.size }, identity, fetch, signal)
  const inflating = { lane, owner, onInflated, signal }
  const decoded = await storeDecoded(raw, key, { blobs, decodedBytesMax, ...inflating })
  at?.('blob-stored')
  const blob: KnownBlob = { ...key, ...decoded }
  await inSharedTransaction(db, async (transaction) => {
    await rememberBlob(transaction, blob, now())
    await rememberReceived(transaction, identity.did, [key], now())
  })
  at?.('blob-remembered')
  // Its bytes may have been stored here before, as garbage that was removed meanwhile.
  if (!(await blobs.has(blob.hash))) throw new BlobLostError(blob.hash)
  return blob
}

const notNamed = 'is not what the record names'

const problemOf = (path: SitePath, reason: string): string => `${JSON.stringify(path)} ${reason}`

const keyText = (node: FileNode): string => blobKeyText(blobKeyOf(node))
