import { exists, type FileHandle, mkdir, open, readdir, rm, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { addAbortSignal, pipeline, Readable, type Transform } from 'node:stream'

/** A file as it lies in a spool folder. Its name is ours, never the uploader's. */
export interface SpooledFile {
  readonly name: string
  readonly bytes: number
  readonly sha256: string
}

/** The bytes went over `bytesMax`; nothing of them is kept. */
export class SpoolLimitError extends Error {
  override readonly name = 'SpoolLimitError'
  readonly bytesMax: number

  constructor(bytesMax: number) {
    super(`file over its limit; bytesMax=${bytesMax}`)
    this.bytesMax = bytesMax
  }
}

/** There is no room for another upload: too many are under way, or the disk has too little left. */
export class SpoolFullError extends Error {
  override readonly name = 'SpoolFullError'
  readonly reason: 'busy' | 'disk'

  constructor(reason: 'busy' | 'disk') {
    super(`no room in the spool; reason=${reason}`)
    this.reason = reason
  }
}

interface SpoolOptions {
  /** Of all jobs together, as they were admitted. */
  readonly bytesMax?: number
  /** Space of the disk that the spool is on, in bytes. */
  readonly diskSpace?: (dir: string) => Promise<{ free: number; total: number }>
}

interface Reservation {
  readonly bytes: number
  readonly owner: string
}

const sumOf = (reservations: readonly Reservation[]): number =>
  reservations.reduce((sum, { bytes }) => sum + bytes, 0)

const ownerShareMax = 1 / 4

/** A job may need its files, their compressed forms, and those as text: of each at most the size of the first. */
const bytesNeededPerByte = 3
const diskFreeBytesMin = 1024 ** 3
const diskFreeShareMin = 0.1

/** Where uploads wait on disk: a folder a job, files of mode 0600 with random names. */
export class Spool {
  readonly #dir: string
  readonly #bytesMax: number
  readonly #diskSpace: NonNullable<SpoolOptions['diskSpace']>
  readonly #reserved = new Map<string, Reservation>()

  constructor(
    dir: string,
    { bytesMax = Number.POSITIVE_INFINITY, diskSpace = diskSpaceOf }: SpoolOptions = {},
  ) {
    this.#dir = dir
    this.#bytesMax = bytesMax
    this.#diskSpace = diskSpace
  }

  /**
   * Sets room aside for a job of this size, until it is removed or reserves anew. Beside a first job, an
   * owner gets a quarter of all room: nobody takes it from the others. Throws SpoolFullError.
   */
  async reserve(jobId: string, bytes: number, owner: string): Promise<void> {
    const needed = bytes * bytesNeededPerByte
    const others = [...this.#reserved].filter(([id]) => id !== jobId).map(([, held]) => held)
    const own = others.filter((held) => held.owner === owner)
    const isOverShare = own.length > 0 && sumOf(own) + needed > this.#bytesMax * ownerShareMax
    if (isOverShare || sumOf(others) + needed > this.#bytesMax) throw new SpoolFullError('busy')
    this.#reserved.set(jobId, { bytes: needed, owner })
    await mkdir(this.#dir, { recursive: true, mode: 0o700 })
    const { free, total } = await this.#diskSpace(this.#dir)
    if (free >= Math.max(diskFreeBytesMin, total * diskFreeShareMin)) return
    this.#reserved.delete(jobId)
    throw new SpoolFullError('disk')
  }

  /** As `reserve`, for a job that is in the spool already. */
  hold(jobId: string, bytes: number, owner: string): void {
    this.#reserved.set(jobId, { bytes: bytes * bytesNeededPerByte, owner })
  }

  async open(jobId: string): Promise<SpoolFolder> {
    const dir = this.#folder(jobId)
    await mkdir(dir, { recursive: true, mode: 0o700 })
    return new SpoolFolder(dir)
  }

  async has(jobId: string): Promise<boolean> {
    return await exists(this.#folder(jobId))
  }

  async remove(jobId: string): Promise<void> {
    await rm(this.#folder(jobId), { recursive: true, force: true })
    this.#reserved.delete(jobId)
  }

  /** Removes what belongs to none of `jobIds`: leftovers of a process that was killed. */
  async sweep(jobIds: ReadonlySet<string>): Promise<void> {
    await mkdir(this.#dir, { recursive: true, mode: 0o700 })
    for (const name of await readdir(this.#dir)) {
      if (isJobId(name) && !jobIds.has(name)) await this.remove(name)
    }
  }

  #folder(jobId: string): string {
    if (!isJobId(jobId)) throw new TypeError('job ids are UUIDs')
    return join(this.#dir, jobId)
  }
}

async function diskSpaceOf(dir: string): Promise<{ free: number; total: number }> {
  const { bavail, blocks, bsize } = await statfs(dir)
  return { free: bavail * bsize, total: blocks * bsize }
}

interface WriteOptions {
  readonly bytesMax: number
  readonly steps?: readonly Transform[]
  readonly signal?: AbortSignal
}

const isJobId = (name: string): boolean => /^[0-9a-f-]{36}$/.test(name)

export class SpoolFolder {
  readonly #dir: string

  constructor(dir: string) {
    this.#dir = dir
  }

  path(name: string): string {
    return join(this.#dir, name)
  }

  async remove(name: string): Promise<void> {
    await rm(this.path(name), { force: true })
  }

  /** Streams `source` through `steps` to disk, back-pressure included. Throws SpoolLimitError. */
  async write(
    source: AsyncIterable<Uint8Array>,
    { bytesMax, steps = [], signal }: WriteOptions,
  ): Promise<SpooledFile> {
    const name = crypto.randomUUID()
    const file = await open(this.path(name), 'wx', 0o600)
    try {
      const chunks = steps.length === 0 ? source : through(source, steps, signal)
      return { name, ...(await copy(chunks, file, bytesMax)) }
    } catch (error) {
      await this.remove(name)
      throw error
    } finally {
      await file.close()
    }
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
async function copy(
  chunks: AsyncIterable<Uint8Array>,
  file: FileHandle,
  bytesMax: number,
): Promise<Omit<SpooledFile, 'name'>> {
  const hasher = new Bun.CryptoHasher('sha256')
  let bytes = 0
  for await (const chunk of chunks) {
    bytes += chunk.byteLength
    if (bytes > bytesMax) throw new SpoolLimitError(bytesMax)
    hasher.update(chunk)
    for (let written = 0; written < chunk.byteLength; ) {
      written += (await file.write(chunk, written)).bytesWritten
    }
  }
  return { bytes, sha256: hasher.digest('hex') }
}
