import { mapAtOnce } from '#concurrency/map-at-once.ts'
import type { BlobStore } from './blob-store.ts'
import type { S3BlobStore } from './s3.ts'

export interface MovedBlobs {
  /** Blobs of the source that are in the target. */
  count: number
  /** Of these, what was not there before, and its bytes. */
  added: number
  addedBytes: number
  /** Not in the target: the bytes are not what the name says, or were removed meanwhile. */
  missing: number
}

interface MoveOptions {
  readonly from: BlobStore & Partial<Pick<S3BlobStore, 'fetch'>>
  readonly to: BlobStore
  readonly signal: AbortSignal
  readonly onProgress?: (moved: Readonly<MovedBlobs>) => void
}

const blobsAtOnce = 16
const hashesAtOnce = 500

/**
 * Adds the blobs of one store to another, each verified by its hash; what is there already is not read. Whoever was interrupted
 * can repeat it. Throws BlobStorageError, and the signal's reason.
 */
export async function moveBlobs(options: MoveOptions): Promise<MovedBlobs> {
  const { from, onProgress, signal } = options
  const moved: MovedBlobs = { count: 0, added: 0, addedBytes: 0, missing: 0 }
  const move = async (hashes: readonly string[]): Promise<void> => {
    await mapAtOnce(hashes, { atOnce: blobsAtOnce, signal }, (hash) =>
      moveOne(hash, moved, options),
    )
    onProgress?.(moved)
  }
  let some: string[] = []
  for await (const hash of from.list()) {
    some.push(hash)
    if (some.length < hashesAtOnce) continue
    await move(some)
    some = []
  }
  await move(some)
  return moved
}

async function moveOne(
  hash: string,
  moved: MovedBlobs,
  { from, to }: Pick<MoveOptions, 'from' | 'to'>,
): Promise<void> {
  if (!(await to.has(hash))) {
    const bytes = await copyOne(hash, from, to)
    if (bytes === null) {
      moved.missing++
      return
    }
    moved.added++
    moved.addedBytes += bytes
  }
  moved.count++
}

/** Null: there are no bytes with this hash. */
async function copyOne(
  hash: string,
  from: MoveOptions['from'],
  to: BlobStore,
): Promise<number | null> {
  if (from.fetch === undefined) {
    const blob = await from.open(hash)
    return blob === null ? null : (await to.put(blob.stream())).bytes
  }
  // A bucket's blob of any size goes through, not into memory; other bytes than those of the hash do not stay.
  const stored = await from.fetch(hash, async (chunks) => {
    const put = await to.put(chunks)
    if (put.hash !== hash) await to.delete(put.hash)
    return put
  })
  return stored?.bytes ?? null
}
