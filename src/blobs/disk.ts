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
  InvalidBlobHashError,
  isBlobHash,
  type PutOptions,
  type ServiceBlobStore,
  type StoredBlob,
} from './blob-store.ts'
import { type DiskFloor, DiskFloorError } from './disk-floor.ts'
import { ifExists, syncFolder, withStorageErrors } from './storage-calls.ts'
import { type Chunks, sweepTempFiles, writeTempFile } from './temp-file.ts'
import { VerifiedFiles } from './verified-files.ts'

/** Blobs up to this size are read and verified on every open; larger ones once an hour, then streamed. */
const smallBytesMax = wholeBodyBytesMax
/** Hashing this much takes well under 1 ms; then the event loop runs. */
const hashStepBytes = 256 * 1024
/** An empty file that marks the folder as mounted. */
const markName = '.is-mounted'
export interface DiskBlobStore extends ServiceBlobStore {
  /** Creates the folder and the mark that `assertThere` checks. */
  make(): Promise<void>
}

interface DiskOptions {
  /** Created when missing. */
  readonly dir: string
  /** Called for each damaged blob, after its file was deleted. */
  readonly onCorrupt?: (hash: string) => void
  /** A monotonic clock. */
  readonly now?: () => number
  /** Below it `put` throws BlobStorageError `full`. Without it the disk may fill up. */
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
  const proven = new VerifiedFiles(now)
  const durableFolders = new Set<string>()

  async function make(): Promise<void> {
    await withStorageErrors(mkdir(dir, { recursive: true, mode: 0o700 }))
    if ((await withStorageErrors(ifExists(stat(join(dir, markName))))) !== null) return
    await withStorageErrors(writeFile(join(dir, markName), '', { mode: 0o600 }))
    await withStorageErrors(syncFolder(dir))
  }

  async function put(
    source: AsyncIterable<Uint8Array> | Uint8Array,
    options?: PutOptions,
  ): Promise<StoredBlob> {
    await withStorageErrors(makeFolder(tempDir))
    const chunks = source instanceof Uint8Array ? [source] : source
    const { path, hash, bytes } = await writeTemp(chunks, options)
    try {
      await withStorageErrors(moveIntoPlace(path, hash))
    } catch (error) {
      await rm(path, { force: true })
      throw error
    }
    return { hash, bytes }
  }

  async function writeTemp(chunks: Chunks, options?: PutOptions): ReturnType<typeof writeTempFile> {
    const guarded = floor === undefined ? chunks : floor.guard(chunks)
    try {
      return await writeTempFile(tempDir, guarded, options)
    } catch (error) {
      throw error instanceof DiskFloorError ? new BlobStorageError('full', { cause: error }) : error
    }
  }

  async function moveIntoPlace(tempPath: string, hash: string): Promise<void> {
    const { folder, path } = placeOf(hash)
    await makeFolder(folder)
    // An existing file that is not verified may be damaged: replaced.
    const isThere = proven.knows(hash) && proven.has(hash, await ifExists(stat(path)))
    await (isThere ? rm(tempPath, { force: true }) : rename(tempPath, path))
    // Also for an existing file: the process that moved it may not have synced yet.
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
    await using file = await withStorageErrors(ifExists(openFile(path, 'r')))
    if (file === null) return null
    const facts = await withStorageErrors(file.stat())
    const blob =
      facts.size <= smallBytesMax
        ? await readSmall(file, hash)
        : (await proven.prove(hash, facts, file)) && Bun.file(path)
    if (blob) return blob
    await removeDamaged(hash, facts.ino)
    return null
  }

  async function verify(
    hash: string,
    afterPiece?: AfterPiece,
  ): Promise<{ isIntact: boolean; bytes: number }> {
    const { path } = placeOf(hash)
    await using file = await withStorageErrors(ifExists(openFile(path, 'r')))
    if (file === null) return { isIntact: false, bytes: 0 }
    const facts = await withStorageErrors(file.stat())
    const isIntact = await isProvenAgain(hash, facts, file, afterPiece)
    if (!isIntact) await removeDamaged(hash, facts.ino)
    return { isIntact, bytes: facts.size }
  }

  async function isProvenAgain(
    ...facts: Parameters<VerifiedFiles['proveAgain']>
  ): Promise<boolean> {
    try {
      return await proven.proveAgain(...facts)
    } catch (error) {
      // An unreadable sector does not recover.
      if (error instanceof BlobStorageError && codeOf(error.cause) === 'EIO') return false
      throw error
    }
  }

  async function removeDamaged(hash: string, inode: number): Promise<void> {
    const { path } = placeOf(hash)
    // A concurrent put may have replaced the damaged file: then the inode differs.
    const current = await withStorageErrors(ifExists(stat(path)))
    if (current?.ino !== inode) return
    if ((await withStorageErrors(ifExists(unlink(path)))) !== null) onCorrupt(hash)
  }

  async function* list(): AsyncIterable<string> {
    for (const folder of (await withStorageErrors(ifExists(readdir(dir)))) ?? []) {
      if (!/^[0-9a-f]{2}$/.test(folder)) continue
      for (const file of (await withStorageErrors(ifExists(readdir(join(dir, folder))))) ?? []) {
        if (isBlobHash(folder + file)) yield folder + file
      }
    }
  }

  function placeOf(hash: string): { folder: string; path: string } {
    // Prevents path traversal.
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
    sweep: (now) => sweepTempFiles(tempDir, now),
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
  for (let start = 0; start < bytes.byteLength; start += hashStepBytes) {
    if (start > 0) await yieldEventLoop()
    hasher.update(bytes.subarray(start, start + hashStepBytes))
  }
  return hasher.digest('hex') === hash ? new Blob([bytes]) : null
}
