import type { Stats } from 'node:fs'
import { link, mkdir, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { mapAtOnce } from '#concurrency/map-at-once.ts'
import { codeOf } from '#observe/code-of.ts'
import { isBlobHash } from './blob-store.ts'
import { ifExists, syncFolder, withStorageErrors } from './storage-calls.ts'
import { writeTempFile } from './temp-file.ts'

/** Files that are copied at a time: each waits for its `fsync`. */
const copiesAtOnce = 16
/** The folders of a store: the first two digits of a hash. */
const foldersCount = 256

export interface BlobCopies {
  /** In the target when it ended, and their bytes. */
  count: number
  bytes: number
  /** Of these, what was not there before. */
  added: number
  /** Not copied: the bytes are not what the name says, or the disk cannot read them. */
  damaged: number
}

interface CopyOptions {
  /** The folders of two disk blob stores; `to` is created. */
  readonly from: string
  readonly to: string
  /** Link where the file system can: both names are then one file, which is not read. Otherwise each is verified. */
  readonly mayLink: boolean
  readonly signal: AbortSignal
  /** Called after each of the folders with the share that is done, from 0 to 1. */
  readonly onProgress?: (share: number, copies: Readonly<BlobCopies>) => void
}

/**
 * Adds the blobs of one store's folder to another, which keeps what it has. A blob appears whole and durable or not at all,
 * so that whoever was interrupted can repeat it. Throws BlobStorageError, and the signal's reason.
 */
export async function copyBlobs(options: CopyOptions): Promise<BlobCopies> {
  const { from, to, signal, onProgress } = options
  const copies: BlobCopies = { count: 0, bytes: 0, added: 0, damaged: 0 }
  const tempDir = join(to, 'tmp')
  await withStorageErrors(rm(tempDir, { recursive: true, force: true }))
  await withStorageErrors(mkdir(tempDir, { recursive: true, mode: 0o700 }))
  const copyFolder = folderCopier({ ...options, tempDir }, copies)
  for (let n = 0; n < foldersCount; n++) {
    signal.throwIfAborted()
    const folder = n.toString(16).padStart(2, '0')
    await copyFolder(join(from, folder), join(to, folder), folder)
    onProgress?.((n + 1) / foldersCount, copies)
  }
  await withStorageErrors(rm(tempDir, { recursive: true, force: true }))
  await withStorageErrors(syncFolder(to))
  return copies
}

function folderCopier(
  { mayLink, signal, tempDir }: CopyOptions & { readonly tempDir: string },
  copies: BlobCopies,
) {
  let links = mayLink

  return async (source: string, target: string, folder: string): Promise<void> => {
    const names = await namesIn(source, folder)
    if (names.length > 0) {
      await withStorageErrors(mkdir(target, { recursive: true, mode: 0o700 }))
    }
    const there = new Set(await namesIn(target, folder))
    const missing = names.filter((name) => !there.has(name))
    await mapAtOnce(missing, { atOnce: copiesAtOnce, signal }, async (name) => {
      const outcome = await add(join(source, name), join(target, name), folder + name)
      if (outcome === 'added') copies.added++
      if (outcome === 'damaged') copies.damaged++
    })
    if (missing.length > 0) await withStorageErrors(syncFolder(target))
    await count(target, folder)
  }

  async function add(source: string, target: string, hash: string) {
    if (links) {
      const outcome = await tryLink(source, target)
      if (outcome !== 'cannot') return outcome
      links = false
    }
    return await copyVerified(source, target, { hash, tempDir })
  }

  async function count(target: string, folder: string): Promise<void> {
    const found = await mapAtOnce(
      await namesIn(target, folder),
      { atOnce: copiesAtOnce, signal },
      async (name): Promise<Stats | null> =>
        await withStorageErrors(ifExists(stat(join(target, name)))),
    )
    for (const facts of found) {
      if (facts === null) continue
      copies.count++
      copies.bytes += facts.size
    }
  }
}

type Outcome = 'added' | 'damaged' | 'gone'

/** `cannot`: another file system, or one without hard links. */
async function tryLink(source: string, target: string): Promise<Outcome | 'cannot'> {
  try {
    await link(source, target)
    return 'added'
  } catch (error) {
    const code = codeOf(error) ?? ''
    if (code === 'EEXIST') return 'added'
    if (code === 'ENOENT') return 'gone'
    if (/^(EXDEV|EPERM|EMLINK|ENOTSUP|EOPNOTSUPP)$/.test(code)) return 'cannot'
    return await withStorageErrors(Promise.reject(error))
  }
}

async function copyVerified(
  source: string,
  target: string,
  { hash, tempDir }: { readonly hash: string; readonly tempDir: string },
): Promise<Outcome> {
  // A blob may be deleted as garbage meanwhile; then nothing names it.
  if ((await withStorageErrors(ifExists(stat(source)))) === null) return 'gone'
  try {
    const written = await writeTempFile(tempDir, Bun.file(source).stream())
    if (written.hash === hash) {
      await withStorageErrors(rename(written.path, target))
      return 'added'
    }
    await rm(written.path, { force: true })
    return 'damaged'
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return 'gone'
    // An unreadable sector.
    if (codeOf(error) === 'EIO') return 'damaged'
    throw error
  }
}

async function namesIn(path: string, folder: string): Promise<string[]> {
  const names = (await withStorageErrors(ifExists(readdir(path)))) ?? []
  return names.filter((name) => isBlobHash(folder + name))
}

/** Deletes the blobs of `from` that `unless` does not have. Returns how many, and their bytes. */
export async function removeOtherBlobs(
  from: string,
  unless: string,
): Promise<Pick<BlobCopies, 'count' | 'bytes'>> {
  const removed = { count: 0, bytes: 0 }
  for (let n = 0; n < foldersCount; n++) {
    const folder = n.toString(16).padStart(2, '0')
    const kept = new Set(await namesIn(join(unless, folder), folder))
    for (const name of await namesIn(join(from, folder), folder)) {
      if (kept.has(name)) continue
      const path = join(from, folder, name)
      const facts = await withStorageErrors(ifExists(stat(path)))
      await withStorageErrors(rm(path, { force: true }))
      removed.count++
      removed.bytes += facts?.size ?? 0
    }
  }
  return removed
}
