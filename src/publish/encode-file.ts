import { Transform } from 'node:stream'
import { promisify } from 'node:util'
import { createGzip, gzip } from 'node:zlib'
import { type Coding, isCompressible, isWorthGzip } from '#site/encoding.ts'
import { mediaTypeOf } from '#site/media-type.ts'
import type { SpoolFolder } from './spool-folder.ts'
import type { UploadedFile } from './upload-tree.ts'

/** The bytes of a file in some form: in memory, or where they lie in the spool. */
export interface FileForm {
  readonly content: Blob
  readonly sha256: string
}

/** A file in the form in which it is stored here and, but for base64, uploaded. */
export interface EncodedFile extends FileForm {
  readonly source: UploadedFile
  readonly coding: Coding
}

/** Up to here a file is read whole: to open and write streams takes longer than the work itself. */
const wholeBytesMax = 256 * 1024
const gzipOptions = { level: 9 }
const inMemory = promisify(gzip)

/**
 * The stored form of a file, made off the event loop. gzip is deterministic: level 9, no name, no time, so
 * that the same content is the same blob every time.
 */
export async function encodeFile(
  source: UploadedFile,
  folder: SpoolFolder,
  signal: AbortSignal,
): Promise<EncodedFile> {
  const content = await whole(folder.blob(source))
  const identity: EncodedFile = { source, coding: 'identity', content, sha256: source.sha256 }
  if (!isCompressible(mediaTypeOf(source.path)) || source.bytes === 0) return identity
  const gzipped =
    source.bytes <= wholeBytesMax
      ? formOf(await inMemory(await content.bytes(), gzipOptions))
      : await through(content, createGzip(gzipOptions), folder, signal)
  const isSmaller = isWorthGzip(source.bytes, gzipped.content.size)
  return isSmaller ? { source, coding: 'gzip', ...gzipped } : identity
}

/** The bytes as base64 text. */
export async function base64Form(
  content: Blob,
  folder: SpoolFolder,
  signal: AbortSignal,
): Promise<FileForm> {
  if (content.size > wholeBytesMax) {
    return await through(content, new Base64Encoder(), folder, signal)
  }
  return formOf(Buffer.from((await content.bytes()).toBase64(), 'latin1'))
}

async function whole(content: Blob): Promise<Blob> {
  return content.size > wholeBytesMax ? content : new Blob([await content.bytes()])
}

function formOf(bytes: Uint8Array<ArrayBuffer>): FileForm {
  const sha256 = new Bun.CryptoHasher('sha256').update(bytes).digest('hex')
  return { content: new Blob([bytes]), sha256 }
}

async function through(
  content: Blob,
  step: Transform,
  folder: SpoolFolder,
  signal: AbortSignal,
): Promise<FileForm> {
  const file = await folder.write(content.stream(), {
    bytesMax: Number.POSITIVE_INFINITY,
    steps: [step],
    signal,
  })
  return { content: folder.blob(file), sha256: file.sha256 }
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
