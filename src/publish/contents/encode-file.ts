import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { createGzip, type Gzip, gzip, gzipSync } from 'node:zlib'
import { passingPiecesOf, pieceBytes } from '#concurrency/pieces-of.ts'
import { mediaTypeOf } from '#http/media-type.ts'
import type { SpooledFile, SpoolFolder } from '#publish/upload/spool-folder.ts'
import type { UploadedFile } from '#publish/upload/upload-tree.ts'
import { type Coding, isCompressible, isWorthGzip } from '#site/encoding.ts'
import { base64Into } from './base64-into.ts'

/** Where a publish has its files, and puts large ones in another form: the spool, or a folder of this machine. */
export interface ContentFolder extends Pick<SpoolFolder, 'write'> {
  blob(file: SpooledFile): Blob | Promise<Blob>
}

/** A file's bytes in some form, in memory or in the spool. */
export interface FileForm {
  readonly content: Blob
  readonly sha256: string
}

/** A file in the form in which it is stored here and, base64 aside, uploaded. */
export interface EncodedFile extends FileForm {
  readonly source: UploadedFile
  readonly coding: Coding
}

// Files up to a piece stay in memory: opening and writing streams takes longer than the work itself.
const gzipOptions = { level: 9, chunkSize: 64 * 1024 }
const gzipElsewhere = promisify(gzip)
/** Less than this is compressed in 0.2 ms, which is what another thread would cost (0.17 ms for 4 kB, Bun 1.4.5). */
const gzipHereBytesMax = 8 * 1024

/** The stored form of a file, made off the event loop. gzip is deterministic (no name, no time): same content, same blob. */
export async function encodeFile(
  source: UploadedFile,
  folder: ContentFolder,
  signal: AbortSignal,
): Promise<EncodedFile> {
  const stored = await folder.blob(source)
  const content = source.bytes > pieceBytes ? stored : new Blob([await stored.bytes()])
  const identity: EncodedFile = { source, coding: 'identity', content, sha256: source.sha256 }
  if (!isCompressible(mediaTypeOf(source.path)) || source.bytes === 0) return identity
  const gzipped =
    source.bytes <= pieceBytes
      ? formOf(await gzipInMemory(await content.bytes()))
      : await spooled(passingPiecesOf(content), folder, { step: createGzip(gzipOptions), signal })
  const isSmaller = isWorthGzip(source.bytes, gzipped.content.size)
  return isSmaller ? { source, coding: 'gzip', ...gzipped } : identity
}

const gzipInMemory = (bytes: Uint8Array) =>
  bytes.length <= gzipHereBytesMax
    ? gzipSync(bytes, gzipOptions)
    : gzipElsewhere(bytes, gzipOptions)

export async function base64Form(content: Blob, folder: ContentFolder): Promise<FileForm> {
  if (content.size > pieceBytes) return await spooled(base64Of(content), folder)
  return formOf(base64(await content.bytes()))
}

function formOf(bytes: Uint8Array<ArrayBuffer> | string): FileForm {
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  return { content: new Blob([bytes]), sha256 }
}

async function spooled(
  source: AsyncIterable<Uint8Array>,
  folder: ContentFolder,
  options: { step?: Gzip; signal?: AbortSignal } = {},
): Promise<FileForm> {
  const file = await folder.write(source, { bytesMax: Number.POSITIVE_INFINITY, ...options })
  return { content: await folder.blob(file), sha256: file.sha256 }
}

/** Yields one buffer again and again: the spool writes a piece before it asks for the next. */
async function* base64Of(content: Blob): AsyncGenerator<Uint8Array> {
  const buffer = new Uint8Array((pieceBytes / 3) * 4)
  for await (const piece of passingPiecesOf(content)) yield base64Into(buffer, piece)
}

const base64 = ({ buffer, byteOffset, byteLength }: Uint8Array): string =>
  Buffer.from(buffer, byteOffset, byteLength).toString('base64')
