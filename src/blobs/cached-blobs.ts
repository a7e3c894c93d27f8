import { mkdir, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { SingleFlight } from '#concurrency/single-flight.ts'
import type { Log } from '#observe/log.ts'
import { wholeBodyBytesMax } from '#site/limits.ts'
import {
  BlobStorageError,
  isBlobHash,
  type ServiceBlobStore,
  type StoredBlob,
} from './blob-store.ts'
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

interface CachedFile {
  readonly bytes: number
  usedAt: number
  /** As it was opened last: it is read from the disk for as long as somebody has it. */
  opened: WeakRef<Blob> | null
}

/** A response opens the file that it sends a moment after `open`. */
const openedSoonMs = 10_000
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
  /** Least recently used first. */
  const files = new Map<string, CachedFile>()
  const flights = new SingleFlight<string, Blob | null>()
  let bytes = 0
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

  async function openCopy(hash: string): Promise<Blob | null> {
    const file = files.get(hash)
    if (file === undefined) return null
    file.usedAt = now()
    files.delete(hash)
    files.set(hash, file)
    const blob = await disk.open(hash).catch(onDiskFailure)
    // Damaged, or removed by somebody.
    if (blob === null && files.get(hash) === file) drop(hash)
    if (blob !== null && isStreamed(file)) file.opened = new WeakRef(blob)
    return blob
  }

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
      add(hash, kept.bytes)
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
    if (announced === null || !(await makeRoom(announced))) throw new CopyError(null)
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
      bytes -= announced
    }
  }

  /** Reserves the bytes if files can go in their favour. */
  async function makeRoom(wanted: number): Promise<boolean> {
    bytes += wanted
    for (const [hash, file] of files) {
      if (bytes <= bytesMax) break
      if (isBeingRead(file)) continue
      drop(hash)
      await disk.delete(hash)
    }
    if (bytes <= bytesMax) return true
    bytes -= wanted
    return false
  }

  const isBeingRead = (file: CachedFile): boolean =>
    isStreamed(file) && (file.opened?.deref() !== undefined || now() - file.usedAt < openedSoonMs)

  function add(hash: string, size: number): void {
    drop(hash)
    files.set(hash, { bytes: size, usedAt: now(), opened: null })
    bytes += size
  }

  function drop(hash: string): void {
    bytes -= files.get(hash)?.bytes ?? 0
    files.delete(hash)
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
      files.set(hash, { bytes: size, usedAt: Number.NEGATIVE_INFINITY, opened: null })
      bytes += size
    }
    if (await makeRoom(0)) log.info('blob cache opened', { files: files.size, bytes })
  }

  async function forget(hash: string): Promise<void> {
    await load()
    flights.forget(hash)
    drop(hash)
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
      return { files: files.size, bytes, hits, misses, isWriting: !isPaused() }
    },
  }

  async function cached(): Promise<string[]> {
    await load()
    return [...files.keys()]
  }
}

/** A smaller file is in memory when it is opened. */
const isStreamed = ({ bytes }: CachedFile): boolean => bytes > wholeBodyBytesMax

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
