import { createWriteStream } from 'node:fs'
import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'

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

/** Where uploads wait on disk: a folder a job, files of mode 0600 with random names. */
export class Spool {
  readonly #dir: string

  constructor(dir: string) {
    this.#dir = dir
  }

  async open(jobId: string): Promise<SpoolFolder> {
    const dir = this.#folder(jobId)
    await mkdir(dir, { recursive: true, mode: 0o700 })
    return new SpoolFolder(dir)
  }

  async remove(jobId: string): Promise<void> {
    await rm(this.#folder(jobId), { recursive: true, force: true })
  }

  /** Removes what belongs to none of `jobIds`: leftovers of a process that was killed. */
  async sweep(jobIds: ReadonlySet<string>): Promise<void> {
    await mkdir(this.#dir, { recursive: true, mode: 0o700 })
    for (const jobId of await readdir(this.#dir)) {
      if (!jobIds.has(jobId)) await this.remove(jobId)
    }
  }

  #folder(jobId: string): string {
    if (!/^[0-9a-f-]{36}$/.test(jobId)) throw new TypeError('job ids are UUIDs')
    return join(this.#dir, jobId)
  }
}

export class SpoolFolder {
  readonly #dir: string

  constructor(dir: string) {
    this.#dir = dir
  }

  path(name: string): string {
    return join(this.#dir, name)
  }

  /** Streams `source` through `steps` to disk, back-pressure included. Throws SpoolLimitError. */
  async write(
    source: Readable,
    { bytesMax, steps = [] }: { bytesMax: number; steps?: readonly Transform[] },
  ): Promise<SpooledFile> {
    const name = crypto.randomUUID()
    const meter = new Meter(bytesMax)
    const target = createWriteStream(this.path(name), { mode: 0o600, flags: 'wx' })
    try {
      await pipeline([source, ...steps, meter, target])
    } catch (error) {
      await rm(this.path(name), { force: true })
      throw error
    }
    return { name, bytes: meter.bytes, sha256: meter.digest() }
  }
}

class Meter extends Transform {
  bytes = 0
  readonly #bytesMax: number
  readonly #hasher = new Bun.CryptoHasher('sha256')

  constructor(bytesMax: number) {
    super()
    this.#bytesMax = bytesMax
  }

  override _transform(
    chunk: Uint8Array,
    _encoding: string,
    done: (error?: Error | null, chunk?: Uint8Array) => void,
  ): void {
    this.bytes += chunk.byteLength
    if (this.bytes > this.#bytesMax) {
      done(new SpoolLimitError(this.#bytesMax))
      return
    }
    this.#hasher.update(chunk)
    done(null, chunk)
  }

  digest(): string {
    return this.#hasher.digest('hex')
  }
}
