import { promisify } from 'node:util'
import zlib from 'node:zlib'
import type { BlobStore } from '#blobs/blob-store.ts'
import { type Kept, MemoryTier, type TierStats } from '#concurrency/memory-tier.ts'
import { SingleFlight } from '#concurrency/single-flight.ts'
import type { ContentCoding } from '#http/accept-encoding.ts'
import type { Coding } from '#site/encoding.ts'
import { wholeBodyBytesMax } from '#site/limits.ts'
import type { SnapshotFile } from '#site/visit/snapshot.ts'

/** The stored bytes of a body and their coding. */
export type BodySource = Pick<SnapshotFile, 'hash' | 'coding'>

type Bytes = Uint8Array<ArrayBuffer>

/** The same stored bytes may be sent as they are or decoded, so the key has both codings. */
export const bodyKey = (stored: BodySource, coding: ContentCoding): string =>
  `${coding} of ${stored.coding} ${stored.hash}`

/** The keys of these stored bytes, whatever they are sent as. */
export function* bodyKeysOf(hash: string): Generator<string> {
  for (const stored of storedCodings) {
    for (const sent of sentCodings) yield bodyKey({ hash, coding: stored }, sent)
  }
}

const storedCodings: readonly Coding[] = ['gzip', 'identity']
const sentCodings: readonly ContentCoding[] = ['gzip', 'identity', 'br', 'zstd']

/**
 * Bodies of up to 1 MiB in memory, each in the codings that visitors used, bounded by bytes, over the blob store.
 * Concurrent loads of the same body share one read.
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

  /** The body if it is still in memory. */
  use(kept: Kept<Blob> | undefined): Blob | null {
    return this.#tier.use(kept)
  }

  keep(source: BodySource, coding: ContentCoding, body: Blob): Kept<Blob> {
    return this.#tier.keep(bodyKey(source, coding), body, body.size)
  }

  /** Drops the body with these stored bytes, in every coding. */
  forget(hash: string): void {
    for (const key of bodyKeysOf(hash)) {
      this.#tier.forget(key)
      this.#loading.forget(key)
    }
  }

  forgetAll(): void {
    this.#tier.forgetAll()
    this.#loading.forgetAll()
  }

  /** Reads the body, stored or decoded, and keeps it in memory. Null if the blob is missing. Rejects for a body over 1 MiB. */
  load(source: BodySource, coding: Coding): Promise<Blob | null> {
    return this.#loading.run(bodyKey(source, coding), (isCurrent) =>
      this.#loadAndKeep(source, coding, isCurrent),
    )
  }

  /** The stored bytes, of any size, read as they are consumed; null if missing. */
  open({ hash }: BodySource): Promise<Blob | null> {
    return this.#blobs.open(hash)
  }

  /** As `load`, uncached. */
  async read(source: BodySource, coding: Coding): Promise<Bytes | null> {
    const stored = await this.#blobs.open(source.hash)
    if (stored === null) return null
    if (stored.size > wholeBodyBytesMax) throw new BodyTooLargeError(source.hash)
    const bytes = await stored.bytes()
    return coding === source.coding ? bytes : await gunzip(bytes, { maxOutputLength })
  }

  async #loadAndKeep(
    source: BodySource,
    coding: Coding,
    isCurrent: () => boolean,
  ): Promise<Blob | null> {
    const bytes = await this.read(source, coding)
    if (bytes === null) return null
    // Not the store's file-backed blob, which would be read again for every response.
    const body = new Blob([bytes])
    if (isCurrent()) this.keep(source, coding, body)
    return body
  }
}

/** The body exceeds 1 MiB and must be streamed. */
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
