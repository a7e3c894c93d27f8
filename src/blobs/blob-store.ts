/**
 * Bytes by their hash: SHA-256 in hex of exactly the bytes stored. Immutable, so the same content
 * put twice is there once. A `hash` that is none throws InvalidBlobHashError; a store that is full
 * or broken, BlobStorageError.
 */
export interface BlobStore {
  /**
   * Durable when it resolves. When `source` throws, rejects with what it threw and leaves nothing.
   */
  put(source: AsyncIterable<Uint8Array> | Uint8Array): Promise<StoredBlob>
  /**
   * The bytes, proven to have this hash, or null. A large blob is read as it is consumed. Bytes
   * that do not match are never returned: they are removed, and the answer is null as if they had
   * never been there.
   */
  open(hash: string): Promise<Blob | null>
  /**
   * Reads the bytes again, whatever was proven before, and waits for `afterPiece` after each piece of them. Those that do not
   * match, or that the disk cannot read any more, are removed, as by `open`; not intact are also those that are not
   * there. Throws what `afterPiece` throws.
   */
  verify(
    hash: string,
    afterPiece?: AfterPiece,
  ): Promise<{ readonly isIntact: boolean; readonly bytes: number }>
  /** Whether there are bytes under this hash, unproven. */
  has(hash: string): Promise<boolean>
  /** Removes the bytes; no matter when there are none. A reader that is under way may fail. */
  delete(hash: string): Promise<void>
  /** Every hash, in no order. What is put or deleted meanwhile may or may not be among them. */
  list(): AsyncIterable<string>
}

/** Told how many bytes it had. */
export type AfterPiece = (bytes: number) => Promise<void>

export interface StoredBlob {
  readonly hash: string
  readonly bytes: number
}

/** The storage is full, or failed; the system's error is the cause. */
export class BlobStorageError extends Error {
  override readonly name = 'BlobStorageError'
  readonly reason: 'full' | 'failed'

  constructor(reason: 'full' | 'failed', options: ErrorOptions) {
    super(`blob storage ${reason}`, options)
    this.reason = reason
  }
}

/** A verified blob is not in the store any more. It is fetched again by the next attempt. */
export class BlobLostError extends Error {
  override readonly name = 'BlobLostError'
  readonly hash: string

  constructor(hash: string) {
    super(`blob lost; hash=${hash}`)
    this.hash = hash
  }
}

/** Something that is not 64 lower-case hex digits was used as the key of a blob. */
export class InvalidBlobHashError extends Error {
  override readonly name = 'InvalidBlobHashError'

  constructor(hash: string) {
    super(`not a SHA-256 in hex; hash=${JSON.stringify(hash.slice(0, 80))}`)
  }
}

export function isBlobHash(text: string): boolean {
  return /^[0-9a-f]{64}$/.test(text)
}
