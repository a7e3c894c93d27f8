import { isUtf8 } from 'node:buffer'
import { timeSlices } from '#concurrency/yield-event-loop.ts'
import { ByteReader } from './byte-reader.ts'

/** One part of a form, while it arrives. */
export interface FormPart {
  readonly name: string
  /** As sent: slashes, dots and backslashes included. Null: a plain field. */
  readonly filename: string | null
  /** Readable until the next part is asked for, which skips the unread rest. */
  readonly content: AsyncIterable<Uint8Array>
}

/** The body is not a form as RFC 7578 describes it, or it broke off. */
export class MultipartError extends Error {
  override readonly name = 'MultipartError'
}

/** More parts than the reader allows. */
export class PartsLimitError extends Error {
  override readonly name = 'PartsLimitError'

  constructor(partsMax: number) {
    super(`too many parts; partsMax=${partsMax}`)
  }
}

const headerBytesMax = 16 * 1024
const preambleBytesMax = 64 * 1024

/** Yields the parts of a form while it arrives; reads nothing ahead. Throws MultipartError and PartsLimitError. */
export async function* readMultipart(
  body: AsyncIterable<Uint8Array>,
  contentType: string,
  { partsMax }: { partsMax: number },
): AsyncGenerator<FormPart> {
  const delimiter = Buffer.from(`\r\n--${boundaryOf(contentType)}`)
  // RFC 2046 §5.1.1: the line break before a boundary belongs to it; the first may come without.
  await using bytes = new ByteReader(orBrokenOff(body), '\r\n')
  await stringUntil(bytes, delimiter, preambleBytesMax)
  // A chunk that holds thousands of parts never waits for the network.
  const yieldWhenDue = timeSlices()
  for (let parts = 0; !(await bytes.startsWith('--')); parts++) {
    await yieldWhenDue()
    if (parts >= partsMax) throw new PartsLimitError(partsMax)
    const headers = await stringUntil(bytes, Buffer.from('\r\n\r\n'), headerBytesMax)
    const content = contentOf(bytes, delimiter)
    yield { ...dispositionOf(headers), content }
    for await (const _ of content);
  }
  await bytes.skipRest()
}

/** Every iteration continues where the last one ended. */
function contentOf(bytes: ByteReader, delimiter: Buffer): AsyncIterable<Uint8Array> {
  let isRead = false
  return {
    async *[Symbol.asyncIterator]() {
      if (isRead) return
      yield* bytesUntil(bytes, delimiter)
      isRead = true
    },
  }
}

/** Throws MultipartError if the bytes before `mark` are more than `bytesMax`, or not UTF-8. */
async function stringUntil(bytes: ByteReader, mark: Buffer, bytesMax: number): Promise<string> {
  const pieces: Uint8Array[] = []
  let length = 0
  for await (const piece of bytesUntil(bytes, mark)) {
    length += piece.length
    if (length > bytesMax) throw new MultipartError('its headers are too long')
    pieces.push(piece)
  }
  const text = Buffer.concat(pieces)
  if (!isUtf8(text)) throw new MultipartError('a name in it is not UTF-8')
  return text.toString()
}

async function* bytesUntil(bytes: ByteReader, mark: Buffer): AsyncGenerator<Uint8Array> {
  if (!(yield* bytes.until(mark))) throw brokenOff()
}

async function* orBrokenOff(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* body
  } catch (cause) {
    throw brokenOff(cause)
  }
}

const brokenOff = (cause?: unknown) => new MultipartError('the upload broke off', { cause })

function boundaryOf(contentType: string): string {
  const isForm = /^multipart\/form-data[ \t]*;/i.test(contentType)
  const found = isForm && /;[ \t]*boundary=(?:"([^"]+)"|([^\s;"]+))/i.exec(contentType)
  const boundary = found && (found[1] ?? found[2])
  // RFC 2046 §5.1.1
  if (!boundary || boundary.length > 70) throw new MultipartError('expected multipart/form-data')
  return boundary
}

/** `head` is everything between a boundary and the content: the rest of the boundary's line, and the headers. */
function dispositionOf(head: string): { name: string; filename: string | null } {
  const [rest = '', ...lines] = head.split('\r\n')
  if (rest.trim() !== '') throw new MultipartError('a boundary in it is not alone on its line')
  if (lines.some((line) => /[\r\n\0]/.test(line))) {
    throw new MultipartError('a name in it holds a line break')
  }
  const disposition = lines.find((line) => /^content-disposition:[ \t]*form-data/i.test(line)) ?? ''
  const name = parameterOf(disposition, 'name')
  if (name === null) throw new MultipartError('a part of it has no name')
  return { name, filename: parameterOf(disposition, 'filename') }
}

/**
 * Browsers write `"` as `%22` and backslashes as they are, command line tools write `\"`: only the latter is
 * unescaped. RFC 7578 §4.2: a form has no `filename*`.
 */
function parameterOf(header: string, wanted: string): string | null {
  const parameter = /[ \t]*;[ \t]*([\w*-]+)=(?:"((?:\\"|[^"])*)"|([^\s;"]*))/gy
  parameter.lastIndex = Math.max(0, header.indexOf(';'))
  for (const [, key, quoted, bare] of header.matchAll(parameter)) {
    if (key?.toLowerCase() === wanted) return quoted?.replaceAll('\\"', '"') ?? bare ?? ''
  }
  return null
}
