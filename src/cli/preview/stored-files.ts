import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { rawCid } from '#atproto/repo/raw-cid.ts'
import { BlobStorageError, type BlobStore } from '#blobs/blob-store.ts'
import { diskBlobStore } from '#blobs/disk.ts'
import type { ChosenFile } from '#cli/folder/folder-choice.ts'
import { contentOf } from '#cli/folder/folder-content.ts'
import { FolderError, UnreadableFileError } from '#cli/folder/folder-error.ts'
import type { LeftOut } from '#cli/folder/folder-listing.ts'
import { mapAtOnce } from '#concurrency/map-at-once.ts'
import { contentTypeOf } from '#http/media-type.ts'
import { codeOf } from '#observe/code-of.ts'
import { encodeFile } from '#publish/contents/encode-file.ts'
import { SpoolFolder } from '#publish/upload/spool-folder.ts'
import type { SnapshotFile } from '#site/visit/snapshot.ts'

/** As in publishing. */
const filesAtOnce = 8

interface Stored {
  /** In the order of the input. */
  readonly files: ReadonlyMap<string, SnapshotFile>
  readonly leftOut: readonly LeftOut[]
}

interface KnownFile {
  readonly state: string
  readonly file: SnapshotFile
}

/**
 * Copies of a folder's files, encoded as publishing stores them, in a folder that is deleted on disposal. Visitors
 * get these copies: the files themselves may change meanwhile.
 */
export class StoredFiles implements AsyncDisposable {
  readonly blobs: BlobStore
  /** For other temporary files; deleted together with the copies. */
  readonly dir: string
  #known = new Map<string, KnownFile>()

  /** In a new folder below `parent`. */
  static async create(parent: string): Promise<StoredFiles> {
    return new StoredFiles(await mkdtemp(join(parent, 'sitehost-preview-')))
  }

  private constructor(dir: string) {
    this.dir = dir
    this.blobs = diskBlobStore({ dir: join(dir, 'blobs') })
  }

  /**
   * Stores every file and re-reads only those that have changed. Unreadable files are left out. Keeps the previous
   * copies, which may still be read; deletes older ones. Throws FolderError if no copies can be made.
   */
  async store(files: readonly ChosenFile[], signal: AbortSignal): Promise<Stored> {
    try {
      return await this.#store(files, signal)
    } catch (cause) {
      const code = codeOf(cause instanceof BlobStorageError ? cause.cause : cause)
      if (code === undefined || signal.aborted) throw cause
      throw new FolderError(`the files cannot be copied to ${this.dir} (${code})`, { cause })
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.dir, { recursive: true, force: true })
  }

  async #store(files: readonly ChosenFile[], signal: AbortSignal): Promise<Stored> {
    const before = this.#known
    const leftOut: LeftOut[] = []
    const copies = await this.#throughSpool((spool) =>
      mapAtOnce(files, { atOnce: filesAtOnce, signal }, async (source, signal) => {
        const { path, state } = source
        try {
          const known = before.get(path)
          return known?.state === state ? known.file : await this.#copy(source, spool, signal)
        } catch (error) {
          if (!(error instanceof UnreadableFileError)) throw error
          leftOut.push({ path, reason: `cannot be read (${error.code})` })
          return null
        }
      }),
    )
    const known = new Map<string, KnownFile>()
    for (const [i, { path, state }] of files.entries()) {
      const file = copies[i]
      if (file) known.set(path, { state, file })
    }
    this.#known = known
    const kept = new Set([...before.values(), ...known.values()].map(({ file }) => file.hash))
    for await (const hash of this.blobs.list()) {
      if (!kept.has(hash)) await this.blobs.delete(hash)
    }
    return { files: new Map(Array.from(known, ([path, { file }]) => [path, file])), leftOut }
  }

  async #throughSpool<Result>(work: (spool: SpoolFolder) => Promise<Result>): Promise<Result> {
    const dir = join(this.dir, 'spool')
    await mkdir(dir)
    try {
      await using spool = new SpoolFolder(dir)
      return await work(spool)
    } finally {
      await rm(dir, { recursive: true })
    }
  }

  async #copy(source: ChosenFile, spool: SpoolFolder, signal: AbortSignal): Promise<SnapshotFile> {
    const { path } = source
    const copy = { path, ...(await spool.write(contentOf(source), { bytesMax: Infinity })) }
    const { coding, content } = await encodeFile(copy, spool, signal)
    const { hash, bytes: storedBytes } = await this.blobs.put(content.stream())
    const cid = rawCid(Buffer.from(hash, 'hex'))
    const contentType = contentTypeOf(undefined, path)
    return { cid, hash, coding, storedBytes, bytes: copy.bytes, contentType }
  }
}
