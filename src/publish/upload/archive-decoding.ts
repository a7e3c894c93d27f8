import { createReadStream } from 'node:fs'
import { pipeline, type Transform } from 'node:stream'
import { codeOf } from '#observe/code-of.ts'

/** A file's bytes from `start` to `end`, exclusive. */
export async function* bytesOfFile(
  path: string,
  { start = 0, end = Number.POSITIVE_INFINITY }: { start?: number; end?: number } = {},
): AsyncGenerator<Uint8Array> {
  // Node's `end` is inclusive, so it cannot express an empty range.
  if (start < end) yield* createReadStream(path, { start, end: end - 1 })
}

/** For node:zlib, whose default of 16 KB took 410 ms of this thread for 300 MB of zeros; this takes 57. */
export const decoderOptions = { chunkSize: 256 * 1024 }

/** The bytes decoded by `decoder`, a stream of node:zlib. Throws `corrupt` for bytes that it cannot decode. */
export async function* decoded(
  bytes: AsyncIterable<Uint8Array>,
  decoder: Transform,
  corrupt: (cause: unknown) => Error,
): AsyncGenerator<Uint8Array> {
  // `pipeline` destroys both with the error of either; reading the decoder throws it.
  pipeline(bytes, decoder, () => undefined)
  try {
    yield* decoder
  } catch (cause) {
    throw isZlibError(cause) ? corrupt(cause) : cause
  }
}

const isZlibError = (error: unknown): boolean => codeOf(error)?.startsWith('Z_') ?? false
