import { rawCid } from '#atproto/repo/blob-fetch.ts'
import type { BlobStore } from '#blobs/blob-store.ts'
import { mapAtOnce } from '#concurrency/map-at-once.ts'
import type { SnapshotFile } from '#site/visit/snapshot.ts'

const blobsAtOnce = 4

export type BlobState = 'intact' | 'missing-or-damaged' | 'not-what-is-named'

/**
 * Reads the stored bytes of each of these files: whether they have the hash that they are stored under, and
 * whether they are those of the blob that the owner's record names. By the store's hash.
 */
export async function checkBlobs(
  files: Iterable<SnapshotFile>,
  blobs: Pick<BlobStore, 'open'>,
  signal: AbortSignal,
): Promise<Map<string, BlobState>> {
  const byHash = [...Map.groupBy(files, ({ hash }) => hash)]
  const states = await mapAtOnce(byHash, { atOnce: blobsAtOnce, signal }, async ([hash, uses]) => {
    const stored = await blobs.open(hash)
    if (stored === null) return 'missing-or-damaged'
    const cids = await cidsOf(hash, stored)
    return uses.every(({ cid }) => cids.includes(cid)) ? 'intact' : 'not-what-is-named'
  })
  return new Map(byHash.map(([hash], i) => [hash, states[i] ?? 'missing-or-damaged']))
}

/** What a repository may call these bytes: as they are, or as the base64 text that was undone. */
async function cidsOf(hash: string, stored: Blob): Promise<string[]> {
  return [rawCid(Buffer.from(hash, 'hex')), rawCid(await base64Digest(stored))]
}

async function base64Digest(stored: Blob): Promise<Uint8Array> {
  const hasher = new Bun.CryptoHasher('sha256')
  let rest: Buffer = Buffer.alloc(0)
  for await (const chunk of stored.stream()) {
    const bytes = Buffer.concat([rest, chunk])
    const whole = bytes.length - (bytes.length % 3)
    hasher.update(bytes.toString('base64', 0, whole))
    rest = bytes.subarray(whole)
  }
  hasher.update(rest.toString('base64'))
  return hasher.digest()
}
