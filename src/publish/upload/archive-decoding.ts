import { createReadStream } from 'node:fs'
import { pipeline, type Transform } from 'node:stream'
import { codeOf } from '#observe/code-of.ts'

/** A file from `start` up to, but not with, `end`. */
export async function* bytesOfFile(
  path: string,
  { start = 0, end = Number.POSITIVE_INFINITY }: { start?: number; end?: number } = {},
): AsyncGenerator<Uint8Array> {
  // `end` of Node is the last byte itself, so that it cannot say "none".
  if (start < end) yield* createReadStream(path, { start, end: end - 1 })
}

/** Of node:zlib: 300 MB of zeros in pieces of 16 KB, as usual there, took this thread 410 ms, in these 57. */
export const decoderOptions = { chunkSize: 256 * 1024 }

/** The bytes decoded by `decoder`, a stream of node:zlib. Bytes that it cannot decode throw `corrupt`. */
export async function* decoded(
  bytes: AsyncIterable<Uint8Array>,
  decoder: Transform,
  corrupt: (cause: unknown) => Error,
): AsyncGenerator<Uint8Array> {
  // Whatever ends one of the two ends the other, and is thrown by the one that is read.
  pipeline(bytes, decoder, () => undefined)
  try {
    yield* decoder
  } catch (cause) {
    throw isZlibError(cause) ? corrupt(cause) : cause
  }
}

const isZlibError = (error: unknown): boolean => codeOf(error)?.startsWith('Z_') ?? false
