import { createWriteStream } from 'node:fs'
import { mkdir, rm, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { BlobStore } from '#blobs/blob-store.ts'
import { decode } from '#blobs/decode.ts'
import { type DiskFloor, DiskFloorError } from '#blobs/disk-floor.ts'
import { withTimeout } from '#concurrency/or-aborted.ts'
import { KeyedSemaphore, Semaphore, SemaphoreBusyError } from '#concurrency/semaphore.ts'
import { SingleFlight } from '#concurrency/single-flight.ts'
import { codeOf } from '#observe/code-of.ts'
import { decodedClientShare } from '#site/limits.ts'
import type { SnapshotFile } from '#site/visit/snapshot.ts'
import { type DecodedReader, DecodedReaders, type ReadFile } from './decoded-readers.ts'

/** A file stored as gzip, and its decoded size. */
export type DecodedSource = Pick<SnapshotFile, 'hash' | 'bytes'>

/**
 * Null: the stored bytes are missing. `busy`: too many files wait for decoding, in all or for this client, or
 * this one takes too long. `full`: the disk is full, or this client has used its share.
 */
export type OpenedFile = Blob | null | 'busy' | 'full'

interface DecodedFilesOptions {
  readonly blobs: Pick<BlobStore, 'open'>
  /** Owned by this object; emptied before its first use. */
  readonly dir: string
  /** Total size of all files; a single larger file is kept alone. */
  readonly bytesMax: number
  readonly floor?: Pick<DiskFloor, 'assertAbove'>
  /** Maximum wait of a visitor, 5 s if left out; decoding continues. */
  readonly waitMsMax?: number
  readonly decoders?: Semaphore
  /** How long the slowest reader may take for this many bytes. */
  readonly slowestMs?: (bytes: number) => number
}

/** Out of the four threads that file access and compression share. */
const decodersMax = 2
const decodersWaitingMax = 100
/** Leaves the other decoder to everybody else. Visitors that have gone still count: decoding continues. */
const decodersOfClient = { max: 1, waitingMax: 8 }
const visitorWaitMsMax = 5000

interface DecodedFile extends ReadFile {
  readonly madeAt: number
}

type NotOpened = Exclude<OpenedFile, Blob>

/**
 * Large stored gzip decoded to files: once per file (single flight), then sent by the system, in whole or in part,
 * at the visitor's pace. Bounded by bytes, with a share per client; the least recently used files go first. A file
 * that is being read stays, unless all its readers are too slow: then their connections end.
 */
export class DecodedFiles {
  readonly #options: DecodedFilesOptions
  readonly #decoders: Semaphore
  readonly #clients = new KeyedSemaphore(decodersOfClient)
  readonly #readers: DecodedReaders
  /** By hash, least recently used first. */
  readonly #made = new Map<string, DecodedFile>()
  readonly #making = new SingleFlight<string, 'made' | NotOpened>()
  /** By client and hash. */
  readonly #waiting = new SingleFlight<string, 'made' | NotOpened>()
  /** Includes files that are being decoded. */
  #bytes = 0
  #isEmptied: Promise<void> | null = null

  constructor(options: DecodedFilesOptions) {
    const { bytesMax, decoders } = options
    this.#options = options
    this.#decoders = decoders ?? new Semaphore({ max: decodersMax, waitingMax: decodersWaitingMax })
    this.#readers = new DecodedReaders({
      ...options,
      clientBytesMax: bytesMax * decodedClientShare,
    })
  }

  /** The Blob is read as it is consumed. Rejects if the stored bytes are damaged. */
  async open(source: DecodedSource, reader: DecodedReader): Promise<OpenedFile> {
    const { hash, bytes } = source
    const { waitMsMax = visitorWaitMsMax } = this.#options
    const mayRead = () => this.#readers.mayRead(reader.client, bytes, this.#made.get(hash)?.path)
    if (this.#readers.isRefreshDue || !mayRead()) {
      await this.#readers.refresh()
      if (!mayRead()) return 'full'
    }
    if (!this.#made.has(hash)) {
      const making = this.#waiting.run(`${reader.client} ${hash}`, () =>
        this.#makeFor(reader.client, source),
      )
      const made = await withTimeout(making, waitMsMax, () => 'busy' as const)
      if (made !== 'made') return made
    }
    const file = this.#made.get(hash)
    // Evicted in the meantime.
    if (file === undefined) return 'busy'
    this.#made.delete(hash)
    this.#made.set(hash, file)
    const path = this.#readers.begin(file, reader)
    return path === null ? 'full' : Bun.file(path)
  }

  /** Removes what these stored bytes decode to, and ends the responses with it. */
  async forget(hash: string): Promise<void> {
    // What is being decoded is removed once it is there; its failure belongs to the visitor.
    if (this.#making.has(hash)) await this.#making.run(hash, async () => null).catch(() => null)
    const file = this.#made.get(hash)
    if (file !== undefined) await this.#remove(hash, file, true)
  }

  async forgetAll(): Promise<void> {
    for (const hash of [...this.#made.keys()]) await this.forget(hash)
  }

  /** Each client waits for its own permit: a file that another client waits for does not wait in that client's queue. */
  async #makeFor(client: string, source: DecodedSource): Promise<'made' | NotOpened> {
    const { hash } = source
    try {
      using _ = await this.#clients.acquire(client)
      if (this.#made.has(hash)) return 'made'
      return await this.#making.run(hash, () => this.#make(source))
    } catch (error) {
      if (error instanceof SemaphoreBusyError) return 'busy'
      throw error
    }
  }

  async #make(source: DecodedSource): Promise<'made' | NotOpened> {
    const { blobs, floor } = this.#options
    try {
      return await this.#decoders.use(async () => {
        const stored = await blobs.open(source.hash)
        if (stored === null) return null
        await this.#empty()
        await floor?.assertAbove()
        return await this.#decode(stored, source)
      })
    } catch (error) {
      if (isDiskFull(error)) return 'full'
      throw error
    }
  }

  async #decode(stored: Blob, { hash, bytes }: DecodedSource): Promise<'made' | 'full'> {
    if (!(await this.#reserve(bytes))) return 'full'
    const path = join(this.#options.dir, crypto.randomUUID())
    try {
      await pipeline(decode(stored, bytes), createWriteStream(path, { flags: 'wx', mode: 0o600 }))
    } catch (error) {
      this.#bytes -= bytes
      await rm(path, { force: true })
      throw error
    }
    this.#made.set(hash, { path, bytes, madeAt: performance.now() })
    return 'made'
  }

  #empty(): Promise<void> {
    this.#isEmptied ??= emptyFolder(this.#options.dir).catch((error) => {
      this.#isEmptied = null
      throw error
    })
    return this.#isEmptied
  }

  /** Reserves this many bytes, evicting files if necessary; false if not enough can be evicted. */
  async #reserve(bytes: number): Promise<boolean> {
    const { bytesMax } = this.#options
    this.#bytes += bytes
    if (this.#bytes > bytesMax) await this.#evict()
    if (this.#bytes <= bytesMax || this.#bytes === bytes) return true
    this.#bytes -= bytes
    return false
  }

  async #evict(): Promise<void> {
    const refreshedAt = performance.now()
    await this.#readers.refresh()
    for (const [hash, file] of this.#made) {
      if (this.#bytes <= this.#options.bytesMax) return
      const state = this.#readers.stateOf(file)
      if (state === 'read' || file.madeAt >= refreshedAt) continue
      await this.#remove(hash, file, state === 'slowly')
    }
  }

  async #remove(hash: string, file: DecodedFile, endsResponses: boolean): Promise<void> {
    this.#made.delete(hash)
    // A removed file stays on the disk while it is open, a truncated one does not: Bun ends its responses.
    if (endsResponses) await truncate(file.path)
    await this.#readers.forget(file)
    await rm(file.path, { force: true })
    this.#bytes -= file.bytes
  }
}

const isDiskFull = (error: unknown): boolean =>
  error instanceof DiskFloorError || diskFullCodes.has(codeOf(error) ?? '')

const diskFullCodes = new Set(['EDQUOT', 'ENOSPC'])

async function emptyFolder(dir: string): Promise<void> {
  await rm(dir, { recursive: true, force: true })
  await mkdir(dir, { recursive: true, mode: 0o700 })
}
