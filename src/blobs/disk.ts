import {
  type FileHandle,
  mkdir,
  open as openFile,
  readdir,
  rename,
  rm,
  stat,
  unlink,
  writeFile,
} from 'node:fs/promises'
import { join } from 'node:path'
import { yieldEventLoop } from '#concurrency/yield-event-loop.ts'
import { codeOf } from '#observe/code-of.ts'
import { wholeBodyBytesMax } from '#site/limits.ts'
import {
  type AfterPiece,
  BlobStorageError,
  type BlobStore,
  InvalidBlobHashError,
  isBlobHash,
  type StoredBlob,
} from './blob-store.ts'
import { type DiskFloor, DiskFloorError } from './disk-floor.ts'
import { ProvenFiles } from './proven-files.ts'
import { ifExists, syncFolder, withStorageErrors } from './storage-calls.ts'
import { writeTempFile } from './temp-file.ts'

/**
 * Up to here a blob is read and proven on every open; above, when it was not for an hour, then streamed from
 * the file.
 */
const smallBytesMax = wholeBodyBytesMax
/** That takes well under a millisecond; then others get their turn. */
const hashedAtOnce = 256 * 1024
/** Empty; made with the folder. */
const markName = '.is-mounted'
const staleTempMs = 60 * 60 * 1000

export interface DiskBlobStore extends BlobStore {
  /**
   * Removes what puts left behind that never ended: temporary files nobody wrote to for an hour (a
   * process that stops and its successor may share the folder). Returns how many.
   */
  sweep(now: number): Promise<number>
  /** Makes the folder, and in it the file by which `assertThere` knows it. */
  make(): Promise<void>
  /** Rejects when the folder is not there or not the one that was made (an empty mount point), or its disk fails. */
  assertThere(): Promise<void>
}

interface DiskOptions {
  /** Made when missing. */
  readonly dir: string
  /** Told of each blob whose bytes were damaged, after its file was removed. */
  readonly onCorrupt?: (hash: string) => void
  /** A clock that only goes forward. */
  readonly now?: () => number
  /** Below it nothing is put: BlobStorageError, `full`. Left out: the disk is filled. */
  readonly floor?: DiskFloor
}

/** Blobs as files, `<dir>/<2 hex>/<62 hex>`; several processes may share the folder. */
export function diskBlobStore({
  dir,
  floor,
  now,
  onCorrupt = () => {},
}: DiskOptions): DiskBlobStore {
  const tempDir = join(dir, 'tmp')
  const proven = new ProvenFiles(now)
  const durableFolders = new Set<string>()

  async function make(): Promise<void> {
    await withStorageErrors(mkdir(dir, { recursive: true, mode: 0o700 }))
    if ((await withStorageErrors(ifExists(stat(join(dir, markName))))) !== null) return
    await withStorageErrors(writeFile(join(dir, markName), '', { mode: 0o600 }))
    await withStorageErrors(syncFolder(dir))
  }

  async function put(source: AsyncIterable<Uint8Array> | Uint8Array): Promise<StoredBlob> {
    await withStorageErrors(makeFolder(tempDir))
    const { path, hash, bytes } = await writeAbove(floor, source)
    try {
      await withStorageErrors(moveIntoPlace(path, hash))
    } catch (error) {
      await rm(path, { force: true })
      throw error
    }
    return { hash, bytes }
  }

  async function writeAbove(
    floor: DiskFloor | undefined,
    source: AsyncIterable<Uint8Array> | Uint8Array,
  ): ReturnType<typeof writeTempFile> {
    if (floor === undefined) return await writeTempFile(tempDir, source)
    try {
      if (source instanceof Uint8Array) await floor.assertAbove()
      return await writeTempFile(
        tempDir,
        source instanceof Uint8Array ? source : floor.guard(source),
      )
    } catch (error) {
      throw error instanceof DiskFloorError ? new BlobStorageError('full', { cause: error }) : error
    }
  }

  async function moveIntoPlace(tempPath: string, hash: string): Promise<void> {
    const { folder, path } = placeOf(hash)
    await makeFolder(folder)
    // A file that is there but was not proven may be damaged: ours takes its place.
    const isThere = proven.knows(hash) && proven.has(hash, await ifExists(stat(path)))
    await (isThere ? rm(tempPath, { force: true }) : rename(tempPath, path))
    // Also when it was there: whoever moved it may not have come so far.
    await syncFolder(folder)
  }

  async function makeFolder(folder: string): Promise<void> {
    if (durableFolders.has(folder)) return
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await syncFolder(dir)
    durableFolders.add(folder)
  }

  async function open(hash: string): Promise<Blob | null> {
    const { path } = placeOf(hash)
    const file = await withStorageErrors(ifExists(openFile(path, 'r')))
    if (file === null) return null
    try {
      const facts = await withStorageErrors(file.stat())
      const blob =
        facts.size <= smallBytesMax
          ? await readSmall(file, hash)
          : (await proven.prove(hash, facts, file)) && Bun.file(path)
      if (blob) return blob
      if (await removeDamaged(path, facts.ino)) onCorrupt(hash)
      return null
    } finally {
      await file.close()
    }
  }

  async function verify(
    hash: string,
    afterPiece?: AfterPiece,
  ): Promise<{ isIntact: boolean; bytes: number }> {
    const { path } = placeOf(hash)
    const file = await withStorageErrors(ifExists(openFile(path, 'r')))
    if (file === null) return { isIntact: false, bytes: 0 }
    try {
      const facts = await withStorageErrors(file.stat())
      const isIntact = await isProvenAgain(hash, facts, file, afterPiece)
      if (!isIntact && (await removeDamaged(path, facts.ino))) onCorrupt(hash)
      return { isIntact, bytes: facts.size }
    } finally {
      await file.close()
    }
  }

  async function isProvenAgain(...facts: Parameters<ProvenFiles['proveAgain']>): Promise<boolean> {
    try {
      return await proven.proveAgain(...facts)
    } catch (error) {
      // A sector that cannot be read does not come back.
      if (error instanceof BlobStorageError && codeOf(error.cause) === 'EIO') return false
      throw error
    }
  }

  async function removeDamaged(path: string, inode: number): Promise<boolean> {
    // A put may have replaced the damaged file meanwhile: its inode is another.
    const current = await withStorageErrors(ifExists(stat(path)))
    if (current?.ino !== inode) return false
    return (await withStorageErrors(ifExists(unlink(path)))) !== null
  }

  async function* list(): AsyncIterable<string> {
    for (const folder of (await withStorageErrors(ifExists(readdir(dir)))) ?? []) {
      if (!/^[0-9a-f]{2}$/.test(folder)) continue
      for (const file of (await withStorageErrors(ifExists(readdir(join(dir, folder))))) ?? []) {
        if (isBlobHash(folder + file)) yield folder + file
      }
    }
  }

  async function sweep(now: number): Promise<number> {
    let removed = 0
    for (const file of (await withStorageErrors(ifExists(readdir(tempDir)))) ?? []) {
      const path = join(tempDir, file)
      const written = await withStorageErrors(ifExists(stat(path)))
      if (written === null || written.mtimeMs > now - staleTempMs) continue
      await withStorageErrors(rm(path, { force: true }))
      removed++
    }
    return removed
  }

  function placeOf(hash: string): { folder: string; path: string } {
    // Checked here, where a key becomes a path.
    if (!isBlobHash(hash)) throw new InvalidBlobHashError(hash)
    const folder = join(dir, hash.slice(0, 2))
    return { folder, path: join(folder, hash.slice(2)) }
  }

  return {
    make,
    put,
    open,
    verify,
    list,
    sweep,
    assertThere: async () => void (await withStorageErrors(stat(join(dir, markName)))),
    has: async (hash) => (await withStorageErrors(ifExists(stat(placeOf(hash).path)))) !== null,
    delete: async (hash) => {
      await withStorageErrors(ifExists(unlink(placeOf(hash).path)))
    },
  }
}

async function readSmall(file: FileHandle, hash: string): Promise<Blob | null> {
  const bytes = await withStorageErrors(file.readFile())
  const hasher = new Bun.CryptoHasher('sha256')
  for (let start = 0; start < bytes.byteLength; start += hashedAtOnce) {
    if (start > 0) await yieldEventLoop()
    hasher.update(bytes.subarray(start, start + hashedAtOnce))
  }
  return hasher.digest('hex') === hash ? new Blob([bytes]) : null
}
