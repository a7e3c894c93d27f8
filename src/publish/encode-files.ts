import { createReadStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { Transform } from 'node:stream'
import { createGzip } from 'node:zlib'
import { mapAtOnce } from '#atproto/map-at-once.ts'
import { type Coding, isCompressible, isWorthGzip } from '#site/encoding.ts'
import { mediaTypeOf } from '#site/media-type.ts'
import type { SpooledFile, SpoolFolder } from './spool.ts'
import type { UploadedFile } from './upload-tree.ts'

/** A file in the form in which it is stored and, but for base64, uploaded. */
export interface EncodedFile {
  readonly source: UploadedFile
  readonly mediaType: string
  readonly coding: Coding
  /** The stored form in the spool; the source itself where nothing is gained by compressing. */
  readonly stored: SpooledFile
}

// Compression runs on the runtime's thread pool; more at once only takes memory.
const encodedAtOnce = 4
const gzipLevel = 9

/**
 * The stored form of each file, in order, made off the event loop. gzip is deterministic: level 9, no
 * name, no time, so that the same content is the same blob every time.
 */
export async function encodeFiles(
  files: readonly UploadedFile[],
  folder: SpoolFolder,
  { onEncoded, signal }: { onEncoded: (file: EncodedFile) => void; signal: AbortSignal },
): Promise<EncodedFile[]> {
  return await mapAtOnce(files, { atOnce: encodedAtOnce, signal }, async (source, signal) => {
    const encoded = await encodeFile(source, folder, signal)
    onEncoded(encoded)
    return encoded
  })
}

async function encodeFile(
  source: UploadedFile,
  folder: SpoolFolder,
  signal: AbortSignal,
): Promise<EncodedFile> {
  const mediaType = mediaTypeOf(source.path)
  const identity: EncodedFile = { source, mediaType, coding: 'identity', stored: source }
  if (!isCompressible(mediaType) || source.bytes === 0) return identity
  const gzipped = await folder.write(createReadStream(folder.path(source.name)), {
    bytesMax: Number.POSITIVE_INFINITY,
    steps: [createGzip({ level: gzipLevel })],
    signal,
  })
  if (isWorthGzip(source.bytes, gzipped.bytes))
    return { ...identity, coding: 'gzip', stored: gzipped }
  await rm(folder.path(gzipped.name))
  return identity
}

/** The base64 form of a spooled file, as a file of its own. */
export async function base64File(file: SpooledFile, folder: SpoolFolder): Promise<SpooledFile> {
  return await folder.write(createReadStream(folder.path(file.name)), {
    bytesMax: Number.POSITIVE_INFINITY,
    steps: [new Base64Encoder()],
  })
}

/** Three bytes become four characters: what is left of a chunk waits for the next one. */
class Base64Encoder extends Transform {
  #rest: Uint8Array = new Uint8Array(0)

  override _transform(
    chunk: Uint8Array,
    _encoding: string,
    done: (error?: Error | null, chunk?: string) => void,
  ): void {
    const bytes = Buffer.concat([this.#rest, chunk])
    const whole = bytes.length - (bytes.length % 3)
    this.#rest = bytes.subarray(whole)
    done(null, bytes.toString('base64', 0, whole))
  }

  override _flush(done: (error?: Error | null, chunk?: string) => void): void {
    done(null, Buffer.from(this.#rest).toString('base64'))
  }
}
