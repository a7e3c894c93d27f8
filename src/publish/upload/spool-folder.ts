import { type FileHandle, open, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Transform } from 'node:stream'
import { free } from '#concurrency/pieces-of.ts'
import { throughStep } from '#concurrency/through-step.ts'

/** A file in a spool folder: a range of bytes of a pack, which holds files in sequence. */
export interface SpooledFile {
  /** Random, never from the uploader. */
  readonly pack: string
  readonly offset: number
  readonly bytes: number
  readonly sha256: string
}

/** The file exceeds `bytesMax`; nothing of it is kept. */
export class SpoolLimitError extends Error {
  override readonly name = 'SpoolLimitError'
}

interface WriteOptions {
  readonly bytesMax: number
  /** Nobody else uses chunks of the source that another one has followed: their memory may be freed. */
  readonly mayFree?: boolean
  readonly step?: Transform
  readonly signal?: AbortSignal
}

interface Pack {
  readonly name: string
  readonly file: FileHandle
  /** Offset of the next file. */
  end: number
}

/**
 * The files of one job, in as many packs (mode 0600, random names) as were written concurrently: a thousand small
 * files take one to create and one to remove. Without `keeps`, closing it removes the packs written through it. Close
 * it before removing the folder.
 */
export class SpoolFolder implements AsyncDisposable {
  readonly #dir: string
  #keeps: boolean
  readonly #packs = new Set<Pack>()
  readonly #idle: Pack[] = []

  constructor(dir: string, { keeps = true }: { readonly keeps?: boolean } = {}) {
    this.#dir = dir
    this.#keeps = keeps
  }

  /**
   * Streams `source` through `step` to disk, back-pressure included. Keeps nothing of a chunk once it asks for the next.
   * Throws SpoolLimitError.
   */
  async write(
    source: AsyncIterable<Uint8Array>,
    { bytesMax, mayFree = false, step, signal }: WriteOptions,
  ): Promise<SpooledFile> {
    const pack = this.#idle.pop() ?? (await this.#open())
    try {
      const chunks = step === undefined ? source : throughStep(source, step, signal)
      const offset = pack.end
      const { bytes, sha256 } = await append(mayFree ? freeing(chunks) : chunks, pack, bytesMax)
      // Only now: the next file overwrites a failed one.
      pack.end += bytes
      return { pack: pack.name, offset, bytes, sha256 }
    } finally {
      this.#idle.push(pack)
    }
  }

  /** Runs `work` on a temporary file with these bytes. Throws SpoolLimitError. */
  async whileOnDisk<Result>(
    source: AsyncIterable<Uint8Array>,
    bytesMax: number,
    work: (path: string, bytes: number) => Promise<Result>,
  ): Promise<Result> {
    const path = join(this.#dir, crypto.randomUUID())
    try {
      await using file = await open(path, 'wx', 0o600)
      const { bytes } = await append(source, { file, end: 0 }, bytesMax)
      return await work(path, bytes)
    } finally {
      await rm(path, { force: true })
    }
  }

  /** The file's bytes, read as they are consumed. */
  blob({ pack, offset, bytes }: SpooledFile): Blob {
    return Bun.file(join(this.#dir, pack)).slice(offset, offset + bytes)
  }

  /** Of all packs, remains of failed files included. */
  async bytesOnDisk(): Promise<number> {
    const names = await readdir(this.#dir)
    const files = await Promise.all(names.map((name) => stat(join(this.#dir, name))))
    return files.reduce((sum, { size }) => sum + size, 0)
  }

  /** Removes all other packs. */
  async keepOnly(packs: ReadonlySet<string>): Promise<void> {
    const names = await readdir(this.#dir)
    const others = names.filter((name) => !packs.has(name))
    await Promise.all(others.map((name) => rm(join(this.#dir, name), { force: true })))
  }

  /** Closing the folder keeps what was written. */
  keep(): void {
    this.#keeps = true
  }

  /** Once this resolves, everything written so far is durable. */
  async sync(): Promise<void> {
    for (const { file } of this.#packs) await file.sync()
    await using folder = await open(this.#dir, 'r')
    await folder.sync()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const packs = [...this.#packs]
    this.#packs.clear()
    this.#idle.length = 0
    for (const { file, name } of packs) {
      await file.close()
      if (!this.#keeps) await rm(join(this.#dir, name), { force: true })
    }
  }

  async #open(): Promise<Pack> {
    const name = crypto.randomUUID()
    const pack = { name, file: await open(join(this.#dir, name), 'wx', 0o600), end: 0 }
    this.#packs.add(pack)
    return pack
  }
}

/** Smaller buffers may be shared: Bun's pool has 8 kB. */
const freedBytesMin = 64 * 1024

/**
 * Frees a buffer once a chunk of the next one is asked for behind it, long before the garbage collector would find it: only one
 * of which every byte has come, because Bun puts the next chunk of a body into what is left of it. A reader that looks for the
 * end of a file may still have the last one.
 */
async function* freeing(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let before: Uint8Array | null = null
  let seenBytes = 0
  for await (const chunk of chunks) {
    if (before !== null && before.buffer !== chunk.buffer) {
      const { byteLength } = before.buffer
      if (byteLength >= freedBytesMin && seenBytes === byteLength) free(before)
      seenBytes = 0
    }
    before = chunk
    seenBytes += chunk.byteLength
    yield chunk
  }
}

// Without streams: each would hold a few chunks, for every upload.
async function append(
  chunks: AsyncIterable<Uint8Array>,
  { file, end }: Pick<Pack, 'file' | 'end'>,
  bytesMax: number,
): Promise<{ bytes: number; sha256: string }> {
  const hasher = new Bun.CryptoHasher('sha256')
  let bytes = 0
  for await (const chunk of chunks) {
    if (bytes + chunk.byteLength > bytesMax) {
      throw new SpoolLimitError(`file over its limit; bytesMax=${bytesMax}`)
    }
    hasher.update(chunk)
    for (let written = 0; written < chunk.byteLength; ) {
      const left = chunk.byteLength - written
      const { bytesWritten } = await file.write(chunk, written, left, end + bytes + written)
      written += bytesWritten
    }
    bytes += chunk.byteLength
  }
  return { bytes, sha256: hasher.digest('hex') }
}
