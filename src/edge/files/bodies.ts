import { promisify } from 'node:util'
import zlib from 'node:zlib'
import type { BlobStore } from '#blobs/blob-store.ts'
import { type Kept, MemoryTier, type TierStats } from '#concurrency/memory-tier.ts'
import { SingleFlight } from '#concurrency/single-flight.ts'
import type { ContentCoding } from '#http/accept-encoding.ts'
import type { Coding } from '#site/encoding.ts'
import { wholeBodyBytesMax } from '#site/limits.ts'
import type { SnapshotFile } from '#site/visit/snapshot.ts'

/** Where the bytes of a body are stored, and how they hold it. */
export type BodySource = Pick<SnapshotFile, 'hash' | 'coding'>

type Bytes = Uint8Array<ArrayBuffer>

/** The same stored bytes are one content as they are, and another decoded; a site says which is its own. */
export const bodyKey = (stored: BodySource, coding: ContentCoding): string =>
  `${coding} of ${stored.coding} ${stored.hash}`

/**
 * Bodies of up to 1 MiB in memory, each in the codings that visitors took, bounded by their bytes; the
 * blob store below. However many ask at once for one that is not here, it is read once.
 */
export class Bodies {
  readonly #blobs: Pick<BlobStore, 'open'>
  readonly #tier: MemoryTier<Blob>
  readonly #loading = new SingleFlight<string, Blob | null>()

  constructor({ blobs, bytesMax }: { blobs: Pick<BlobStore, 'open'>; bytesMax: number }) {
    this.#blobs = blobs
    this.#tier = new MemoryTier(bytesMax)
  }

  get stats(): TierStats {
    return this.#tier.stats
  }

  find(source: BodySource, coding: ContentCoding): Kept<Blob> | undefined {
    return this.#tier.find(bodyKey(source, coding))
  }

  /** The body when it is (still) in memory. */
  use(kept: Kept<Blob> | undefined): Blob | null {
    return this.#tier.use(kept)
  }

  keep(source: BodySource, coding: ContentCoding, body: Blob): Kept<Blob> {
    return this.#tier.keep(bodyKey(source, coding), body, body.size)
  }

  /**
   * The body as it is stored, or decoded, read from the blob store and kept. Null when it is not there.
   * Rejects for one that takes more than 1 MiB.
   */
  load(source: BodySource, coding: Coding): Promise<Blob | null> {
    return this.#loading.run(bodyKey(source, coding), () => this.#loadAndKeep(source, coding))
  }

  /** The stored bytes, of any size, to be read as they are consumed; null when they are not there. */
  open({ hash }: BodySource): Promise<Blob | null> {
    return this.#blobs.open(hash)
  }

  /** What `load` gives, read anew and kept nowhere. */
  async read(source: BodySource, coding: Coding): Promise<Bytes | null> {
    const stored = await this.#blobs.open(source.hash)
    if (stored === null) return null
    if (stored.size > wholeBodyBytesMax) throw new BodyTooLargeError(source.hash)
    const bytes = await stored.bytes()
    return coding === source.coding ? bytes : await gunzip(bytes, { maxOutputLength })
  }

  async #loadAndKeep(source: BodySource, coding: Coding): Promise<Blob | null> {
    const bytes = await this.read(source, coding)
    if (bytes === null) return null
    // Not the store's own blob: one that stands for a file is read again with every answer.
    const body = new Blob([bytes])
    this.keep(source, coding, body)
    return body
  }
}

/** Somebody wanted more than 1 MiB at once; what is that large is streamed. */
export class BodyTooLargeError extends Error {
  override readonly name = 'BodyTooLargeError'
  readonly hash: string

  constructor(hash: string) {
    super(`body too large for memory; hash=${hash}`)
    this.hash = hash
  }
}

const gunzip = promisify<Bytes, zlib.ZlibOptions, Bytes>(zlib.gunzip)
const maxOutputLength = wholeBodyBytesMax
