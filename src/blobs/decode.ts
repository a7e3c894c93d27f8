import { pipeline } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { piecesOf } from '#concurrency/pieces-of.ts'

/**
 * Decodes stored gzip, a chunk at a time. Never yields more than `bytes`, which responses promise and callers
 * reserve space for. Throws DecodedLengthError at the end if the content has another length.
 */
export async function* decode(stored: Blob, bytes: number): AsyncGenerator<Uint8Array> {
  let seen = 0
  // Pipeline errors reach the reader of `chunks`.
  const chunks: AsyncIterable<Uint8Array> = pipeline(
    piecesOf(stored),
    createGunzip(),
    () => undefined,
  )
  for await (const chunk of chunks) {
    seen += chunk.length
    if (seen > bytes) break
    yield chunk
  }
  if (seen !== bytes) throw new DecodedLengthError(bytes)
}

/** The stored bytes do not decode to the length that ingest counted. */
export class DecodedLengthError extends Error {
  override readonly name = 'DecodedLengthError'
  readonly expectedBytes: number

  constructor(expectedBytes: number) {
    super(`not decoded to ${expectedBytes} bytes`)
    this.expectedBytes = expectedBytes
  }
}
