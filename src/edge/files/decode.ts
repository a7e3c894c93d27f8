import { pipeline } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { piecesOf } from '#blobs/pieces-of.ts'

/**
 * What stored gzip decodes to, a piece at a time. Throws DecodedLengthError at the end when that were not this many
 * bytes, and never gives more: answers promise this length, and room was made for no more.
 */
export async function* decode(stored: Blob, bytes: number): AsyncGenerator<Uint8Array> {
  let seen = 0
  // What goes wrong in it reaches whoever reads from it.
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

/** What is stored does not decode to as many bytes as ingest counted. */
export class DecodedLengthError extends Error {
  override readonly name = 'DecodedLengthError'
  readonly expectedBytes: number

  constructor(expectedBytes: number) {
    super(`not decoded to ${expectedBytes} bytes`)
    this.expectedBytes = expectedBytes
  }
}
