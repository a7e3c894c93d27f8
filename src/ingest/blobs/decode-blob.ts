import type { BlobStore } from '#blobs/blob-store.ts'
import { FairMutex } from '#concurrency/fair-mutex.ts'
import type { Lane } from '#concurrency/lane.ts'
import type { Coding } from '#site/encoding.ts'
import { gunzipAlong } from './gzip-member.ts'
import { decodeBase64 } from './strict-base64.ts'
import { UndecodableBlobError } from './undecodable-blob.ts'

/** The stored form, and what it decodes to. */
export interface DecodedBlob {
  readonly hash: string
  readonly storedBytes: number
  readonly decodedHash: string
  readonly decodedBytes: number
}

/** Called with the size of each chunk of gzip, and of each chunk of content that it inflates to. */
export type OnInflated = (bytes: number, of: 'gzip' | 'content') => void

interface DecodeContext {
  readonly blobs: BlobStore
  readonly decodedBytesMax: number
  /** The work that the blob is part of: work with much inflating time yields to other work. */
  readonly owner?: object
  /** Blobs are inflated in its `ownWait`. */
  readonly lane?: Pick<Lane, 'ownWait'> | undefined
  /** Aborts the wait to inflate. */
  readonly signal?: AbortSignal
  readonly onInflated?: OnInflated | undefined
}

/**
 * Stores a blob in the form that is served: base64 decoded, gzip verified and kept. Keeps a few chunks in memory,
 * whatever the blob inflates to. Throws UndecodableBlobError and what `raw` throws; then nothing was stored.
 */
export async function storeDecoded(
  raw: AsyncIterable<Uint8Array>,
  encoding: { coding: Coding; base64: boolean },
  { blobs, decodedBytesMax, lane, owner, onInflated, signal }: DecodeContext,
): Promise<DecodedBlob> {
  const decoded = new DecodedMeter(decodedBytesMax)
  const stored = encoding.base64 ? decodeBase64(raw) : raw
  const onContent = (chunk: Uint8Array): void => {
    onInflated?.(chunk.byteLength, 'content')
    decoded.add(chunk)
  }
  const onGzip = (chunk: Uint8Array): void => onInflated?.(chunk.byteLength, 'gzip')
  const checked =
    encoding.coding === 'gzip'
      ? gunzipAlong(withEach(stored, onGzip), onContent, {
          use(work) {
            const inflate = () => inflatingAt(blobs).use(work, owner, signal)
            return lane === undefined ? inflate() : lane.ownWait(inflate)
          },
        })
      : withEach(stored, (chunk) => decoded.add(chunk))
  const { hash, bytes } = await blobs.put(checked)
  return {
    hash,
    storedBytes: bytes,
    decodedHash: decoded.digest(),
    decodedBytes: decoded.bytes,
  }
}

const inflating = new WeakMap<BlobStore, FairMutex>()

/** One thread inflates, however many bombs arrive; the others stay free for the event loop and visitors. */
function inflatingAt(blobs: BlobStore): FairMutex {
  const mutex = inflating.get(blobs) ?? new FairMutex()
  inflating.set(blobs, mutex)
  return mutex
}

class DecodedMeter {
  bytes = 0
  readonly #bytesMax: number
  readonly #hasher = new Bun.CryptoHasher('sha256')

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax
  }

  add(chunk: Uint8Array): void {
    this.bytes += chunk.byteLength
    if (this.bytes > this.#bytesMax) {
      throw new UndecodableBlobError(`is larger than ${this.#bytesMax} bytes`)
    }
    this.#hasher.update(chunk)
  }

  digest(): string {
    return this.#hasher.digest('hex')
  }
}

async function* withEach(
  chunks: AsyncIterable<Uint8Array>,
  onChunk: (chunk: Uint8Array) => void,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    onChunk(chunk)
    yield chunk
  }
}
