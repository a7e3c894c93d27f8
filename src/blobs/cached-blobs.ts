import { mkdir, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { SingleFlight } from '#concurrency/single-flight.ts'
import type { Log } from '#observe/log.ts'
import {
  BlobStorageError,
  isBlobHash,
  type ServiceBlobStore,
  type StoredBlob,
} from './blob-store.ts'
import { CachedFiles } from './cached-files.ts'
import { diskBlobStore } from './disk.ts'
import type { DiskFloor } from './disk-floor.ts'
import type { S3BlobStore } from './s3.ts'
import { ifExists, withStorageErrors } from './storage-calls.ts'

export interface CachedBlobStore extends ServiceBlobStore {
  readonly stats: BlobCacheStats
  /** Removes the copy on this disk, also one that is being made. */
  forget(hash: string): Promise<void>
  forgetAll(): Promise<void>
  /** The hashes of all copies. */
  cached(): Promise<string[]>
}

export interface BlobCacheStats {
  readonly files: number
  readonly bytes: number
  readonly hits: number
  readonly misses: number
  /** Whether the disk takes copies. */
  readonly isWriting: boolean
}

interface CacheOptions {
  readonly remote: S3BlobStore
  /** Owned by this object: no other process or thread uses it. */
  readonly dir: string
  readonly bytesMax: number
  readonly floor?: DiskFloor
  readonly log: Pick<Log, 'error' | 'info'>
  /** A monotonic clock. */
  readonly now?: () => number
}

/** After a failure of the disk, nothing is written for this time. */
const pauseMs = 60_000

/**
 * Copies of remote blobs on a disk, bounded by bytes; the least recently used go first. They are verified as those of the disk
 * store are, and one flight fetches a blob for all who wait for it. Without a working disk, blobs are passed on without it.
 */
export function cachedBlobStore({
  bytesMax,
  dir,
  floor,
  log,
  now = () => performance.now(),
  remote,
}: CacheOptions): CachedBlobStore {
  const disk = diskBlobStore({ dir, now, ...(floor && { floor }) })
  const files = new CachedFiles(now)
  const flights = new SingleFlight<string, Blob | null>()
  let hits = 0
  let misses = 0
  let pausedUntil = Number.NEGATIVE_INFINITY
  let loading: Promise<void> | null = null

  async function open(hash: string): Promise<Blob | null> {
    await load()
    const blob = await openCopy(hash)
    if (blob !== null) {
      hits++
      return blob
    }
    misses++
    return await flights.run(hash, (isCurrent) => fetchAndKeep(hash, isCurrent))
  }

  const openCopy = (hash: string): Promise<Blob | null> =>
    files.use(hash, (hash) => disk.open(hash).catch(onDiskFailure))

  async function fetchAndKeep(hash: string, isCurrent: () => boolean): Promise<Blob | null> {
    if (isPaused()) return await remote.open(hash)
    try {
      const kept = await remote.fetch(hash, (chunks, announced) =>
        keepCopy(hash, chunks, announced),
      )
      if (kept === null) return null
      if (!isCurrent()) {
        await disk.delete(hash)
        return await remote.open(hash)
      }
      files.add(hash, kept.bytes)
    } catch (error) {
      if (!(error instanceof CopyError)) throw error
      if (error.cause !== null) onDiskFailure(error.cause)
      return await remote.open(hash)
    }
    return (await openCopy(hash)) ?? (await remote.open(hash))
  }

  /** Throws CopyError when the disk fails; its cause is null if there is only no room for these bytes. */
  async function keepCopy(
    hash: string,
    chunks: AsyncIterable<Uint8Array>,
    announced: number | null,
  ): Promise<StoredBlob> {
    if (announced === null || !(await reserve(announced))) throw new CopyError(null)
    let failure: unknown
    const passed = passOn(chunks, (error) => {
      failure = error
    })
    try {
      const stored = await disk.put(passed)
      // They were read for this hash: whoever asks for theirs reads them again.
      if (stored.hash !== hash && !files.has(stored.hash)) await disk.delete(stored.hash)
      return stored
    } catch (error) {
      // What the server did is not the disk's fault.
      throw error === failure ? error : new CopyError(error)
    } finally {
      files.release(announced)
    }
  }

  /** Reserves the bytes if files can go in their favour. */
  async function reserve(wanted: number): Promise<boolean> {
    files.reserve(wanted)
    for (const hash of files.unread()) {
      if (files.bytes <= bytesMax) break
      files.drop(hash)
      await disk.delete(hash)
    }
    if (files.bytes <= bytesMax) return true
    files.release(wanted)
    return false
  }

  const isPaused = (): boolean => now() < pausedUntil

  function onDiskFailure(error: unknown): null {
    if (!(error instanceof BlobStorageError)) throw error
    if (!isPaused()) log.error('blob cache paused', { error })
    pausedUntil = now() + pauseMs
    return null
  }

  function load(): Promise<void> {
    loading ??= loadFiles().catch((error) => void onDiskFailure(error))
    return loading
  }

  /** The copies of an earlier process, oldest first: when each was used last is not known any more. */
  async function loadFiles(): Promise<void> {
    await withStorageErrors(mkdir(dir, { recursive: true, mode: 0o700 }))
    const found: { hash: string; size: number; at: number }[] = []
    for (const folder of await withStorageErrors(readdir(dir))) {
      if (!/^[0-9a-f]{2}$/.test(folder)) continue
      for (const name of (await withStorageErrors(ifExists(readdir(join(dir, folder))))) ?? []) {
        const facts = await withStorageErrors(ifExists(stat(join(dir, folder, name))))
        const hash = folder + name
        if (facts !== null && isBlobHash(hash)) {
          found.push({ hash, size: facts.size, at: facts.mtimeMs })
        }
      }
    }
    for (const { hash, size } of found.sort((a, b) => a.at - b.at)) {
      files.add(hash, size, Number.NEGATIVE_INFINITY)
    }
    if (await reserve(0)) log.info('blob cache opened', { files: files.count, bytes: files.bytes })
  }

  async function forget(hash: string): Promise<void> {
    await load()
    flights.forget(hash)
    files.drop(hash)
    await disk.delete(hash)
  }

  return {
    open,
    put: (...asked) => remote.put(...asked),
    has: (hash) => remote.has(hash),
    verify: (...asked) => remote.verify(...asked),
    list: () => remote.list(),
    assertThere: () => remote.assertThere(),
    async delete(hash) {
      await remote.delete(hash)
      await forget(hash)
    },
    sweep: async (at) => (await disk.sweep(at)) + (await remote.sweep(at)),
    forget,
    async forgetAll() {
      flights.forgetAll()
      for (const hash of await cached()) await forget(hash)
    },
    cached,
    get stats() {
      const { bytes, count } = files
      return { files: count, bytes, hits, misses, isWriting: !isPaused() }
    },
  }

  async function cached(): Promise<string[]> {
    await load()
    return files.hashes
  }
}

/** The disk did not take the copy; `cause` is null if there was no room. */
class CopyError extends Error {
  override readonly name = 'CopyError'

  constructor(cause: unknown) {
    super('blob not copied', { cause })
  }
}

async function* passOn(
  chunks: AsyncIterable<Uint8Array>,
  onFailure: (error: unknown) => void,
): AsyncGenerator<Uint8Array> {
  try {
    yield* chunks
  } catch (error) {
    onFailure(error)
    throw error
  }
}
