import { crc32, inflateRaw } from 'node:zlib'
import { GzipHeader } from '#ingest/blobs/gzip-header.ts'
import { UndecodableBlobError } from '#ingest/blobs/undecodable-blob.ts'
import type { FileNode } from '#site/record/manifest.ts'

/**
 * A file's content from its stored bytes. Null for bytes that are not what the node says, which no Sitehost serves, or more
 * than `bytesMax`.
 */
export async function decodedContent(
  bytes: Uint8Array,
  { base64, encoding }: Pick<FileNode, 'base64' | 'encoding'>,
  bytesMax: number,
): Promise<Uint8Array | null> {
  const coded = base64 ? decodedBase64(Buffer.from(bytes).toString('latin1')) : bytes
  if (coded === null || encoding === 'gzip') return coded && (await inflated(coded, bytesMax))
  return coded.byteLength > bytesMax ? null : coded
}

/** Strict: the alphabet of RFC 4648 §4, padding at the end and only there. Null for anything else. */
function decodedBase64(text: string): Uint8Array | null {
  const isWhole = text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text)
  return isWhole ? Buffer.from(text, 'base64') : null
}

/** CRC-32 and size of the content (RFC 1952 §2.3.1). */
const trailerBytes = 8

/** Of exactly one gzip member and nothing behind it: zlib would continue with what browsers do not show. Null for anything else. */
async function inflated(gzip: Uint8Array, bytesMax: number): Promise<Uint8Array | null> {
  const headerBytes = headerBytesOf(gzip)
  const body =
    headerBytes === null ? null : await inflatedBody(gzip.subarray(headerBytes), bytesMax)
  if (headerBytes === null || body === null) return null
  const trailer = Buffer.from(gzip.subarray(headerBytes + body.codedBytes))
  const isTrue =
    trailer.byteLength === trailerBytes &&
    trailer.readUInt32LE(0) === crc32(body.content) &&
    trailer.readUInt32LE(4) === body.content.byteLength
  return isTrue ? body.content : null
}

function headerBytesOf(gzip: Uint8Array): number | null {
  const header = new GzipHeader()
  try {
    const bytes = header.read(gzip)
    return header.isComplete ? bytes : null
  } catch (error) {
    if (error instanceof UndecodableBlobError) return null
    throw error
  }
}

interface Inflated {
  readonly content: Buffer
  /** How many bytes it was inflated from. */
  readonly codedBytes: number
}

/** Null: it is not deflated, breaks off, or inflates to more than `bytesMax`. */
const inflatedBody = (deflated: Uint8Array, bytesMax: number): Promise<Inflated | null> =>
  new Promise((resolve) => {
    const options = { info: true, maxOutputLength: Math.max(bytesMax, 1) }
    inflateRaw(deflated, options, (error, result) => {
      if (error !== null) return resolve(null)
      // With `info`, which the types do not know.
      const { buffer: content, engine } = result as unknown as {
        readonly buffer: Buffer
        readonly engine: { readonly bytesWritten: number }
      }
      resolve({ content, codedBytes: engine.bytesWritten })
    })
  })
