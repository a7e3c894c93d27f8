import { gunzipAlong } from '#ingest/blobs/gzip-member.ts'
import { decodeBase64 } from '#ingest/blobs/strict-base64.ts'
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
  const content = new Collected(bytesMax)
  const raw = inOne(bytes)
  const coded = base64 ? decodeBase64(raw) : raw
  try {
    if (encoding === 'gzip') {
      for await (const _ of gunzipAlong(coded, (chunk) => content.add(chunk)));
    } else {
      for await (const chunk of coded) content.add(chunk)
    }
  } catch (error) {
    if (error instanceof UndecodableBlobError) return null
    throw error
  }
  return content.bytes
}

async function* inOne(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

class Collected {
  readonly #bytesMax: number
  readonly #chunks: Uint8Array[] = []
  #bytes = 0

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax
  }

  /** Throws UndecodableBlobError beyond `bytesMax`. The chunk is copied. */
  add(chunk: Uint8Array): void {
    this.#bytes += chunk.byteLength
    if (this.#bytes > this.#bytesMax) {
      throw new UndecodableBlobError(`is larger than ${this.#bytesMax} bytes`)
    }
    this.#chunks.push(new Uint8Array(chunk))
  }

  get bytes(): Uint8Array {
    return Buffer.concat(this.#chunks)
  }
}
