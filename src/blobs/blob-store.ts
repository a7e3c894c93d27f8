/**
 * A content-addressed store of immutable bytes, by their SHA-256 in hex; stores equal content once. Methods throw
 * InvalidBlobHashError for a malformed `hash`, BlobStorageError if the storage is full or broken.
 */
export interface BlobStore {
  /** Durable when it resolves. If `source` throws, rejects with the same error and stores nothing. */
  put(source: AsyncIterable<Uint8Array> | Uint8Array, options?: PutOptions): Promise<StoredBlob>
  /** The verified bytes, streamed if large; or null. Bytes that do not match are deleted, never returned. */
  open(hash: string): Promise<Blob | null>
  /**
   * Reads and verifies the bytes even if they were verified before; awaits `afterPiece` after each piece. Deletes bytes
   * that do not match or cannot be read any more. Missing bytes are not intact. Throws what `afterPiece` throws.
   */
  verify(
    hash: string,
    afterPiece?: AfterPiece,
  ): Promise<{ readonly isIntact: boolean; readonly bytes: number }>
  /** Whether bytes exist under this hash; does not verify them. */
  has(hash: string): Promise<boolean>
  /** Idempotent. A concurrent reader may fail. */
  delete(hash: string): Promise<void>
  /** All hashes, in no order. Blobs that are put or deleted meanwhile may be missing or included. */
  list(): AsyncIterable<string>
}

export interface PutOptions {
  /** Nobody else uses the chunks of the source: the store may free the memory of each before the garbage collector would. */
  readonly mayFree?: boolean
}

/** A blob store as a running service needs it. */
export interface ServiceBlobStore extends BlobStore {
  /** Deletes temporary files of interrupted puts that were not written to for an hour; returns how many. */
  sweep(now: number): Promise<number>
  /** Throws BlobStorageError if the storage is not there: a folder that is not mounted, or a bucket that does not answer. */
  assertThere(): Promise<void>
}

/** `bytes`: size of the piece. */
export type AfterPiece = (bytes: number) => Promise<void>

export interface StoredBlob {
  readonly hash: string
  readonly bytes: number
}

/** The storage is full or failed; `cause` is the system's error. */
export class BlobStorageError extends Error {
  override readonly name = 'BlobStorageError'
  readonly reason: 'full' | 'failed'

  constructor(reason: 'full' | 'failed', options: ErrorOptions) {
    super(`blob storage ${reason}`, options)
    this.reason = reason
  }
}

/** A verified blob is missing from the store. The next attempt fetches it again. */
export class BlobLostError extends Error {
  override readonly name = 'BlobLostError'
  readonly hash: string

  constructor(hash: string) {
    super(`blob lost; hash=${hash}`)
    this.hash = hash
  }
}

/** A blob's key is not 64 lower-case hex digits. */
export class InvalidBlobHashError extends Error {
  override readonly name = 'InvalidBlobHashError'

  constructor(hash: string) {
    super(`not a SHA-256 in hex; hash=${JSON.stringify(hash.slice(0, 80))}`)
  }
}

export function isBlobHash(text: string): boolean {
  return /^[0-9a-f]{64}$/.test(text)
}
