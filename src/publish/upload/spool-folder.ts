import { type FileHandle, open, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { addAbortSignal, pipeline, Readable, type Transform } from 'node:stream'

/** A file in a spool folder: a range of bytes of a pack, which holds files one after the other. */
export interface SpooledFile {
  /** A name of ours, never the uploader's. */
  readonly pack: string
  readonly offset: number
  readonly bytes: number
  readonly sha256: string
}

/** The bytes exceed `bytesMax`; none of them is kept. */
export class SpoolLimitError extends Error {
  override readonly name = 'SpoolLimitError'
  readonly bytesMax: number

  constructor(bytesMax: number) {
    super(`file over its limit; bytesMax=${bytesMax}`)
    this.bytesMax = bytesMax
  }
}

interface WriteOptions {
  readonly bytesMax: number
  readonly steps?: readonly Transform[]
  readonly signal?: AbortSignal
}

interface Pack {
  readonly name: string
  readonly file: FileHandle
  /** Where the next file begins. */
  end: number
}

/**
 * The files of one job, in as many packs (mode 0600, random names) as were written concurrently: a thousand small
 * files cost one to create and one to remove. Removing the folder frees the disk space; without `keeps`, closing
 * it already removes the packs written through it. Close it before removing the folder.
 */
export class SpoolFolder implements AsyncDisposable {
  readonly #dir: string
  readonly #keeps: boolean
  readonly #packs = new Set<Pack>()
  readonly #idle: Pack[] = []

  constructor(dir: string, { keeps = true }: { readonly keeps?: boolean } = {}) {
    this.#dir = dir
    this.#keeps = keeps
  }

  /** Streams `source` through `steps` to disk, back-pressure included. Throws SpoolLimitError. */
  async write(
    source: AsyncIterable<Uint8Array>,
    { bytesMax, steps = [], signal }: WriteOptions,
  ): Promise<SpooledFile> {
    const pack = this.#idle.pop() ?? (await this.#open())
    try {
      const chunks = steps.length === 0 ? source : through(source, steps, signal)
      const offset = pack.end
      const { bytes, sha256 } = await append(chunks, pack, bytesMax)
      // Only now: the next file overwrites a failed one.
      pack.end += bytes
      return { pack: pack.name, offset, bytes, sha256 }
    } finally {
      this.#idle.push(pack)
    }
  }

  /** Runs `work` on a file of its own for these bytes, which is gone afterwards. Throws SpoolLimitError. */
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

  /** Everything that lies here, leftovers of files that failed included. */
  async bytesOnDisk(): Promise<number> {
    const sizes = (await readdir(this.#dir)).map(async (name) => {
      return (await stat(join(this.#dir, name))).size
    })
    return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
  }

  /** Everything written so far outlasts a power cut once this resolves. */
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

function through(
  source: AsyncIterable<Uint8Array>,
  steps: readonly Transform[],
  signal: AbortSignal | undefined,
): AsyncIterable<Uint8Array> {
  const from = Readable.from(source, { objectMode: false })
  // A failure of any step ends the last one with it, which is where it is read.
  const last = pipeline([from, ...steps], () => undefined) as Transform
  return signal ? addAbortSignal(signal, last) : last
}

// No streams on the way to the disk: they would hold a few chunks each, for every upload.
async function append(
  chunks: AsyncIterable<Uint8Array>,
  { file, end }: Pick<Pack, 'file' | 'end'>,
  bytesMax: number,
): Promise<{ bytes: number; sha256: string }> {
  const hasher = new Bun.CryptoHasher('sha256')
  let bytes = 0
  for await (const chunk of chunks) {
    if (bytes + chunk.byteLength > bytesMax) throw new SpoolLimitError(bytesMax)
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
