import { Readable } from 'node:stream'
import { Busboy, type BusboyFileStream } from '@fastify/busboy'

// The same class; Bun's types and Node's types of it do not know each other.
type WebStream = Parameters<typeof Readable.fromWeb>[0]

export interface MultipartHandler {
  onField(name: string, value: string): void
  /** `filename` is raw: slashes, dots and backslashes as they were sent. Must read or drain `file`. */
  onFile(name: string, filename: string, file: BusboyFileStream): Promise<void>
}

/** More parts than a site may have files. */
export class PartsLimitError extends Error {
  override readonly name = 'PartsLimitError'

  constructor(partsMax: number) {
    super(`too many parts; partsMax=${partsMax}`)
  }
}

export interface MultipartLimits {
  readonly partsMax: number
  readonly fileBytesMax: number
}

/** The body is not a form as RFC 7578 describes it, or it broke off. */
export class MultipartError extends Error {
  override readonly name = 'MultipartError'
}

const fieldBytesMax = 64 * 1024
const fieldsMax = 100

/**
 * Reads a form while it arrives: no part is held in memory, and nothing is read ahead of the handler.
 * Ends with the first error of a handler, or with MultipartError.
 */
export async function readMultipart(
  body: ReadableStream<Uint8Array>,
  contentType: string,
  limits: MultipartLimits,
  handler: MultipartHandler,
): Promise<void> {
  const parser = createParser(contentType, limits)
  const source = Readable.fromWeb(body as unknown as WebStream)
  const { promise: finished, resolve, reject } = Promise.withResolvers<void>()
  const files: Promise<void>[] = []

  parser.on('field', (name, value, nameTruncated, valueTruncated) => {
    if (nameTruncated || valueTruncated) reject(new MultipartError(`field too long: ${name}`))
    else guarded(reject, () => handler.onField(name, value))
  })
  parser.on('file', (name, file, filename) => {
    file.on('error', reject)
    files.push(handler.onFile(name, filename ?? '', file).catch(reject))
  })
  parser.on('partsLimit', () => reject(new PartsLimitError(limits.partsMax)))
  parser.on('fieldsLimit', () => reject(new MultipartError(`over ${fieldsMax} fields`)))
  parser.on('error', (error) => reject(new MultipartError(messageOf(error), { cause: error })))
  parser.on('finish', () => void Promise.all(files).then(() => resolve(), reject))
  source.on('error', (error) =>
    reject(new MultipartError('the upload broke off', { cause: error })),
  )
  source.pipe(parser)
  try {
    await finished
  } catch (error) {
    source.unpipe(parser)
    source.destroy()
    parser.destroy()
    await Promise.allSettled(files)
    throw error
  }
}

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : 'unreadable'

function guarded(reject: (error: unknown) => void, work: () => void): void {
  try {
    work()
  } catch (error) {
    reject(error)
  }
}

function createParser(contentType: string, { partsMax, fileBytesMax }: MultipartLimits) {
  try {
    return new Busboy({
      headers: { 'content-type': contentType },
      preservePath: true,
      limits: {
        parts: partsMax,
        fields: fieldsMax,
        fieldSize: fieldBytesMax,
        // One byte more than is allowed: the handler then sees that there is too much.
        fileSize: fileBytesMax + 1,
        headerPairs: 20,
        headerSize: 16 * 1024,
      },
    })
  } catch (cause) {
    throw new MultipartError(messageOf(cause), { cause })
  }
}
