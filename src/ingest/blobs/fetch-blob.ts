import type { Identity } from '#atproto/identity/identity.ts'
import { rawCid } from '#atproto/repo/raw-cid.ts'
import { xrpcPath } from '#atproto/repo/xrpc-path.ts'
import { FetchLimitError, type SafeFetch } from '#outbound/safe-fetch.ts'

/** The server's bytes are not those that the record names: wrong hash, too short or too long. */
export class BlobMismatchError extends Error {
  override readonly name = 'BlobMismatchError'
  readonly cid: string

  constructor(cid: string, reason: string, options?: ErrorOptions) {
    super(`blob refused; cid=${cid} reason=${reason}`, options)
    this.cid = cid
  }
}

/** The account's server did not send the blob; it may later. */
export class BlobUnavailableError extends Error {
  override readonly name = 'BlobUnavailableError'
  readonly status: number

  constructor(cid: string, status: number) {
    super(`blob not available; cid=${cid} status=${status}`)
    this.status = status
  }
}

/** Streams a blob, the last chunk only if size and hash match the record. Throws BlobMismatchError. */
export async function* fetchBlob(
  { cid, size }: { cid: string; size: number },
  identity: Identity,
  fetch: SafeFetch,
  signal?: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const path = xrpcPath('com.atproto.sync.getBlob', { did: identity.did, cid })
  const response = await fetch(new URL(path, identity.pds), {
    limits: { responseBytesMax: size + 1 },
    redirect: 'follow',
    ...(signal && { signal }),
  })
  if (response.status !== 200 || !response.body) {
    // The error body may exceed the byte cap of the blob: ignored.
    await response.body?.cancel().catch(() => undefined)
    throw new BlobUnavailableError(cid, response.status)
  }
  try {
    yield* verified(response.body, cid, size)
  } catch (error) {
    if (!(error instanceof FetchLimitError && error.limit === 'bytes')) throw error
    throw new BlobMismatchError(cid, `longer than its ${size} bytes`, { cause: error })
  }
}

async function* verified(
  chunks: AsyncIterable<Uint8Array>,
  cid: string,
  size: number,
): AsyncGenerator<Uint8Array> {
  const hasher = new Bun.CryptoHasher('sha256')
  let receivedBytes = 0
  let held: Uint8Array | null = null
  for await (const chunk of chunks) {
    receivedBytes += chunk.byteLength
    if (receivedBytes > size) throw new BlobMismatchError(cid, `longer than its ${size} bytes`)
    hasher.update(chunk)
    if (held) yield held
    held = chunk
  }
  if (receivedBytes < size) throw new BlobMismatchError(cid, `shorter than its ${size} bytes`)
  if (rawCid(hasher.digest()) !== cid) throw new BlobMismatchError(cid, 'other content')
  if (held) yield held
}
