import { createGunzip } from 'node:zlib'
import { decoded, decoderOptions } from '#publish/upload/archive-decoding.ts'
import { bounded } from '#publish/upload/byte-reader.ts'
import { steady } from '#publish/upload/receive-upload.ts'
import {
  type SpooledFile,
  type SpoolFolder,
  SpoolLimitError,
} from '#publish/upload/spool-folder.ts'
import type { UploadArrival } from '#publish/upload/upload-arrival.ts'
import type { Coding } from '#site/encoding.ts'
import { invalid, type UploadRefusedError } from '#site/upload/upload-refusal.ts'
import type { NeededContent } from '#store/queues/deploy-contents.ts'

/** The body of a request that sends a file of a deploy. */
export interface IncomingFile {
  readonly body: AsyncIterable<Uint8Array>
  readonly coding: Coding
  /** Ends it when aborted. */
  readonly signal: AbortSignal
}

interface SpoolFileOptions extends IncomingFile {
  readonly arrival: UploadArrival
  /** Called with the decoded bytes so far; may throw to end it. */
  readonly onBytes: (bytes: number) => Promise<void>
}

/** A body may be longer than its content: gzip adds a header, a trailer, and 5 bytes to each block that it cannot compress. */
const gzipBytesMax = (contentBytes: number): number => contentBytes + contentBytes / 1000 + 1024

/**
 * Streams a file to the folder while checking that it is this content; it is durable when this resolves. Decodes no more
 * than the content has. Throws UploadRefusedError for another one, and UploadTooSlowError.
 */
export async function spoolFile(
  { sha256, bytes }: NeededContent,
  folder: SpoolFolder,
  { arrival, body, coding, onBytes, signal }: SpoolFileOptions,
): Promise<SpooledFile> {
  const sent = arrival.measure(steady(body, signal), async () => {})
  const content =
    coding === 'gzip'
      ? decoded(bounded(sent, gzipBytesMax(bytes), isOther), createGunzip(decoderOptions), damaged)
      : sent
  const spooled = await folder
    .write(counted(content, onBytes), { bytesMax: bytes })
    .catch((error) => {
      throw error instanceof SpoolLimitError ? isOther() : error
    })
  if (spooled.bytes !== bytes || spooled.sha256 !== sha256) throw isOther()
  await folder.sync()
  return spooled
}

async function* counted(
  chunks: AsyncIterable<Uint8Array>,
  onBytes: (bytes: number) => Promise<void>,
): AsyncGenerator<Uint8Array> {
  let bytes = 0
  for await (const chunk of chunks) {
    bytes += chunk.byteLength
    await onBytes(bytes)
    yield chunk
  }
}

const isOther = (): UploadRefusedError =>
  invalid('What arrived is not the file that the deploy says: its SHA-256 or size differs.')

const damaged = (cause: unknown): UploadRefusedError =>
  invalid('What arrived is not gzip, or is damaged.', cause)
