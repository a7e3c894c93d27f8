import { createWriteStream } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import type { BlobStore } from '#blobs/blob-store.ts'
import type { SnapshotFile } from '#site/snapshot.ts'
import { DecoderSlots } from './decoder-slots.ts'

/** Of what is stored as gzip: which bytes, and how many they decode to. */
export type DecodedSource = Pick<SnapshotFile, 'hash' | 'bytes'>

interface DecodedFilesOptions {
  readonly blobs: Pick<BlobStore, 'open'>
  /** This object's alone: what an earlier process left in it goes before its first use. */
  readonly dir: string
  /** Of all files together; one that is larger is kept alone. */
  readonly bytesMax: number
  /** After so long a visitor had better come again; the decoding goes on. */
  readonly waitMsMax?: number
  readonly slots?: DecoderSlots
}

interface DecodedFile extends Pick<DecodedSource, 'bytes'> {
  readonly path: string
}

/**
 * What large stored gzip decodes to, as files: made once, however many ask, and then sent by the system as
 * slowly as visitors take it, or any part of it. Bounded by bytes; those go that were not used for longest,
 * and who is reading one reads on.
 */
export class DecodedFiles {
  readonly #blobs: DecodedFilesOptions['blobs']
  readonly #dir: string
  readonly #bytesMax: number
  readonly #waitMsMax: number
  readonly #slots: DecoderSlots
  /** By hash, the one used last at the end. */
  readonly #made = new Map<string, DecodedFile>()
  readonly #making = new Map<string, Promise<Blob | null | 'busy'>>()
  /** Those that are being made included. */
  #bytes = 0
  #isEmptied: Promise<void> | null = null

  constructor({ blobs, dir, bytesMax, waitMsMax = 5000, slots }: DecodedFilesOptions) {
    this.#blobs = blobs
    this.#dir = dir
    this.#bytesMax = bytesMax
    this.#waitMsMax = waitMsMax
    this.#slots = slots ?? new DecoderSlots()
  }

  /**
   * Read as it is consumed. Null when the stored bytes are not here; `busy` when too many others are to be
   * decoded, or this takes too long. Rejects for what is damaged, and when the disk is full.
   */
  async open(source: DecodedSource): Promise<Blob | null | 'busy'> {
    const { hash } = source
    const made = this.#use(hash)
    if (made !== null) return Bun.file(made.path)
    const making = this.#making.get(hash) ?? this.#start(source)
    return await soon(making, this.#waitMsMax)
  }

  #use(hash: string): DecodedFile | null {
    const made = this.#made.get(hash)
    if (made === undefined) return null
    this.#made.delete(hash)
    this.#made.set(hash, made)
    return made
  }

  #start(source: DecodedSource): Promise<Blob | null | 'busy'> {
    const making = this.#slots
      .use(() => this.#make(source))
      .finally(() => this.#making.delete(source.hash))
    this.#making.set(source.hash, making)
    return making
  }

  async #make({ hash, bytes }: DecodedSource): Promise<Blob | null> {
    const stored = await this.#blobs.open(hash)
    if (stored === null) return null
    await this.#empty()
    await this.#makeRoom(bytes)
    const path = join(this.#dir, crypto.randomUUID())
    try {
      await decode(stored, path, bytes)
    } catch (error) {
      this.#bytes -= bytes
      await rm(path, { force: true })
      throw error
    }
    this.#made.set(hash, { path, bytes })
    return Bun.file(path)
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

  async #makeRoom(bytes: number): Promise<void> {
    this.#bytes += bytes
    for (const [hash, { path, bytes }] of this.#made) {
      if (this.#bytes <= this.#bytesMax) return
      this.#made.delete(hash)
      this.#bytes -= bytes
      await rm(path, { force: true })
    }
  }
}

async function soon<Value>(value: Promise<Value>, waitMsMax: number): Promise<Value | 'busy'> {
  const { promise, resolve } = Promise.withResolvers<'busy'>()
  const timer = setTimeout(() => resolve('busy'), waitMsMax)
  try {
    return await Promise.race([value, promise])
  } finally {
    clearTimeout(timer)
  }
}

async function emptyFolder(dir: string): Promise<void> {
  await rm(dir, { recursive: true, force: true })
  await mkdir(dir, { recursive: true, mode: 0o700 })
}

async function decode(stored: Blob, path: string, bytes: number): Promise<void> {
  await pipeline(
    stored.stream(),
    createGunzip(),
    (chunks: AsyncIterable<Uint8Array>) => exactly(bytes, chunks),
    createWriteStream(path, { flags: 'wx', mode: 0o600 }),
  )
}

/** Answers promise this length, and room was made for no more. */
async function* exactly(
  bytes: number,
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  let seen = 0
  for await (const chunk of chunks) {
    seen += chunk.length
    if (seen > bytes) break
    yield chunk
  }
  if (seen !== bytes) throw new DecodedLengthError(bytes)
}

/** What is stored does not decode to as many bytes as ingest counted. */
export class DecodedLengthError extends Error {
  override readonly name = 'DecodedLengthError'
  readonly expectedBytes: number

  constructor(expectedBytes: number) {
    super(`not decoded to ${expectedBytes} bytes`)
    this.expectedBytes = expectedBytes
  }
}
