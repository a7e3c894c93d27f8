import pMap from 'p-map'
import { BlobMismatchError, fetchBlob } from '#atproto/blob-fetch.ts'
import type { Identity } from '#atproto/identity.ts'
import type { SafeFetch } from '#atproto/safe-fetch.ts'
import type { BlobStore } from '#blobs/blob-store.ts'
import type { Coding } from '#site/encoding.ts'
import type { FileNode } from '#site/manifest.ts'
import type { SitePath } from '#site/path.ts'
import { findBlobs, type KnownBlob, rememberBlob } from '#store/blobs.ts'
import type { Db } from '#store/database.ts'
import { storeDecoded, UndecodableBlobError } from './decode-blob.ts'

const blobsAtOnce = 4

interface FetchContext {
  readonly db: Db
  readonly blobs: BlobStore
  readonly fetch: SafeFetch
  readonly fileBytesMax: number
  readonly now: () => number
  readonly signal: AbortSignal
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
  const wanted = [...new Map([...files].map(([path, node]) => [keyText(node), { path, node }]))]
  const present = await presentBlobs(files, context)
  const problems: string[] = []
  await pMap(
    wanted.filter(([key]) => !present.has(key)),
    async ([key, { path, node }]) => {
      try {
        present.set(key, await fetchOne(node, identity, context))
      } catch (error) {
        if (!isRefusal(error)) throw error
        problems.push(`${JSON.stringify(path)} ${reasonOf(error)}`)
      }
    },
    { concurrency: blobsAtOnce, signal: context.signal },
  )
  if (problems.length > 0) return { ok: false, problems }
  const blobs = new Map<SitePath, KnownBlob>()
  for (const [path, node] of files) blobs.set(path, present.get(keyText(node)) as KnownBlob)
  return { ok: true, blobs }
}

async function presentBlobs(
  files: ReadonlyMap<SitePath, FileNode>,
  { db, blobs }: FetchContext,
): Promise<Map<string, KnownBlob>> {
  const known = await findBlobs(db, [...files.values()].map(keyOf))
  const isStored = await pMap(known, (blob) => blobs.has(blob.hash), { concurrency: 64 })
  return new Map(known.filter((_, i) => isStored[i]).map((blob) => [textOf(blob), blob]))
}

async function fetchOne(
  node: FileNode,
  identity: Identity,
  { db, blobs, fetch, fileBytesMax, now }: FetchContext,
): Promise<KnownBlob> {
  const key = keyOf(node)
  const raw = fetchBlob({ cid: key.cid, size: node.blob.size }, identity, fetch)
  const decoded = await storeDecoded(raw, key, { blobs, decodedBytesMax: fileBytesMax })
  const blob: KnownBlob = { ...key, ...decoded }
  await rememberBlob(db, blob, now())
  return blob
}

type Refusal = BlobMismatchError | UndecodableBlobError

const isRefusal = (error: unknown): error is Refusal =>
  error instanceof BlobMismatchError || error instanceof UndecodableBlobError

const reasonOf = (error: Refusal): string =>
  error instanceof BlobMismatchError ? 'is not what the record names' : error.message

interface BlobForm {
  readonly cid: string
  readonly coding: Coding
  readonly base64: boolean
}

const keyOf = (node: FileNode): BlobForm => ({
  cid: node.blob.ref.$link,
  coding: node.encoding ?? 'identity',
  base64: node.base64 ?? false,
})

const keyText = (node: FileNode): string => textOf(keyOf(node))

const textOf = ({ cid, coding, base64 }: BlobForm): string => `${cid} ${coding} ${base64}`
