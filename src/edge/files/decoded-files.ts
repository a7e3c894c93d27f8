import { createWriteStream } from 'node:fs'
import { mkdir, rm, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { BlobStore } from '#blobs/blob-store.ts'
import { type DiskFloor, DiskFloorError } from '#blobs/disk-floor.ts'
import { withTimeout } from '#concurrency/or-aborted.ts'
import { Semaphore, SemaphoreBusyError } from '#concurrency/semaphore.ts'
import { SingleFlight } from '#concurrency/single-flight.ts'
import { codeOf } from '#observe/code-of.ts'
import { decodedClientShare } from '#site/limits.ts'
import type { SnapshotFile } from '#site/visit/snapshot.ts'
import { decode } from './decode.ts'
import { type DecodedReader, DecodedReaders } from './decoded-readers.ts'

/** Of what is stored as gzip: which bytes, and how many they decode to. */
export type DecodedSource = Pick<SnapshotFile, 'hash' | 'bytes'>

/**
 * Null: the stored bytes are not here. `busy`: too many others are to be decoded, or this takes too long. `full`: there
 * is no room for it on the disk, or this client has its share of it.
 */
export type OpenedFile = Blob | null | 'busy' | 'full'

interface DecodedFilesOptions {
  readonly blobs: Pick<BlobStore, 'open'>
  /** This object's alone: what an earlier process left in it goes before its first use. */
  readonly dir: string
  /** Of all files together; one that is larger is kept alone. */
  readonly bytesMax: number
  readonly floor?: Pick<DiskFloor, 'assertAbove'>
  /** After so long a visitor had better come again; the decoding goes on. */
  readonly waitMsMax?: number
  readonly decoders?: Semaphore
  /** How long the slowest may take to read so many bytes. */
  readonly slowestMs?: (bytes: number) => number
}

/** Of the four threads that all file access and compression share. */
const decodersMax = 2
const decodersWaitingMax = 100

interface DecodedFile extends Pick<DecodedSource, 'bytes'> {
  readonly path: string
  readonly madeAt: number
}

/** What is not a file to be read. */
type NotOpened = Exclude<OpenedFile, Blob>

/**
 * What large stored gzip decodes to, as files: made once, however many ask, and then sent by the system as slowly as
 * visitors take it, or any part of it. Bounded by bytes, a quarter of them for what one client reads; those go that
 * were not used for longest. A file that somebody reads stays, unless all who read it are too slow: their connections
 * end.
 */
export class DecodedFiles {
  readonly #blobs: DecodedFilesOptions['blobs']
  readonly #dir: string
  readonly #bytesMax: number
  readonly #floor: DecodedFilesOptions['floor']
  readonly #waitMsMax: number
  readonly #decoders: Semaphore
  readonly #readers: DecodedReaders
  /** By hash, the one used last at the end. */
  readonly #made = new Map<string, DecodedFile>()
  readonly #making = new SingleFlight<string, 'made' | NotOpened>()
  /** Those that are being made included. */
  #bytes = 0
  #isEmptied: Promise<void> | null = null

  constructor({
    blobs,
    dir,
    bytesMax,
    floor,
    waitMsMax = 5000,
    decoders = new Semaphore({ max: decodersMax, waitingMax: decodersWaitingMax }),
    slowestMs,
  }: DecodedFilesOptions) {
    this.#blobs = blobs
    this.#dir = dir
    this.#bytesMax = bytesMax
    this.#floor = floor
    this.#waitMsMax = waitMsMax
    this.#decoders = decoders
    const clientBytesMax = bytesMax * decodedClientShare
    this.#readers = new DecodedReaders({ dir, clientBytesMax, ...(slowestMs && { slowestMs }) })
  }

  /** A Blob is read as it is consumed. Rejects for what is damaged. */
  async open(source: DecodedSource, reader: DecodedReader): Promise<OpenedFile> {
    const { hash, bytes } = source
    const mayRead = () => this.#readers.mayRead(reader.client, bytes, this.#made.get(hash)?.path)
    if (this.#readers.isLookDue || !mayRead()) {
      await this.#readers.look()
      if (!mayRead()) return 'full'
    }
    if (!this.#made.has(hash)) {
      const making = this.#making.run(hash, () => this.#makeInTurn(source))
      const made = await withTimeout(making, this.#waitMsMax, () => 'busy' as const)
      if (made !== 'made') return made
    }
    const file = this.#use(hash)
    // Others needed the room, just now.
    if (file === null) return 'busy'
    const path = this.#readers.begin(file, reader)
    return path === null ? 'full' : Bun.file(path)
  }

  #use(hash: string): DecodedFile | null {
    const made = this.#made.get(hash)
    if (made === undefined) return null
    this.#made.delete(hash)
    this.#made.set(hash, made)
    return made
  }

  async #makeInTurn(source: DecodedSource): Promise<'made' | NotOpened> {
    try {
      return await this.#decoders.use(() => this.#make(source))
    } catch (error) {
      if (error instanceof SemaphoreBusyError) return 'busy'
      throw error
    }
  }

  async #make(source: DecodedSource): Promise<'made' | NotOpened> {
    const stored = await this.#blobs.open(source.hash)
    if (stored === null) return null
    try {
      await this.#empty()
      await this.#floor?.assertAbove()
      return await this.#decode(stored, source)
    } catch (error) {
      if (isDiskFull(error)) return 'full'
      throw error
    }
  }

  async #decode(stored: Blob, { hash, bytes }: DecodedSource): Promise<'made' | 'full'> {
    if (!(await this.#reserve(bytes))) return 'full'
    const path = join(this.#dir, crypto.randomUUID())
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

  async #empty(): Promise<void> {
    this.#isEmptied ??= emptyFolder(this.#dir)
    try {
      await this.#isEmptied
    } catch (error) {
      this.#isEmptied = null
      throw error
    }
  }

  /** Counts so many bytes more, in place of files that may go; false where there are not enough of these. */
  async #reserve(bytes: number): Promise<boolean> {
    this.#bytes += bytes
    if (this.#bytes > this.#bytesMax) await this.#makeRoom()
    if (this.#bytes <= this.#bytesMax || this.#bytes === bytes) return true
    this.#bytes -= bytes
    return false
  }

  async #makeRoom(): Promise<void> {
    const lookedAt = performance.now()
    await this.#readers.look()
    for (const [hash, file] of this.#made) {
      if (this.#bytes <= this.#bytesMax) return
      const state = this.#readers.stateOf(file)
      if (state === 'read' || file.madeAt >= lookedAt) continue
      this.#made.delete(hash)
      // Whoever has it open keeps what is removed on the disk, but not what is cut off: Bun ends their answers.
      if (state === 'slowly') await truncate(file.path)
      await this.#readers.forget(file)
      await rm(file.path, { force: true })
      this.#bytes -= file.bytes
    }
  }
}

const isDiskFull = (error: unknown): boolean =>
  error instanceof DiskFloorError || diskFullCodes.has(codeOf(error) ?? '')

const diskFullCodes = new Set(['EDQUOT', 'ENOSPC'])

async function emptyFolder(dir: string): Promise<void> {
  await rm(dir, { recursive: true, force: true })
  await mkdir(dir, { recursive: true, mode: 0o700 })
}
