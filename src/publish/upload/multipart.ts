import { isUtf8 } from 'node:buffer'
import { timeSlices } from '#concurrency/yield-event-loop.ts'

/** One part of a form, while it arrives. */
export interface FormPart {
  readonly name: string
  /** As it was sent: slashes, dots and backslashes included. Null: a plain field. */
  readonly filename: string | null
  /** To be read before the next part is asked for; what is left unread then is skipped. */
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

/**
 * The parts of a form, one after the other while it arrives: nothing is read ahead of what is asked
 * for, and no part is held in memory. Throws MultipartError and PartsLimitError.
 */
export async function* readMultipart(
  body: AsyncIterable<Uint8Array>,
  contentType: string,
  { partsMax }: { partsMax: number },
): AsyncGenerator<FormPart> {
  const delimiter = Buffer.from(`\r\n--${boundaryOf(contentType)}`)
  await using bytes = new BodyBytes(body)
  await bytes.textUntil(delimiter, preambleBytesMax)
  // Of a chunk that holds thousands of parts, nothing waits for the network.
  const yieldWhenDue = timeSlices()
  for (let parts = 0; !(await bytes.startsWith('--')); parts++) {
    await yieldWhenDue()
    if (parts >= partsMax) throw new PartsLimitError(partsMax)
    const headers = await bytes.textUntil(Buffer.from('\r\n\r\n'), headerBytesMax)
    const content = new PartContent(bytes, delimiter)
    yield { ...dispositionOf(headers), content }
    await content.skipRest()
  }
  await bytes.skipRest()
}

class PartContent implements AsyncIterable<Uint8Array> {
  readonly #bytes: BodyBytes
  readonly #delimiter: Buffer
  #isRead = false

  constructor(bytes: BodyBytes, delimiter: Buffer) {
    this.#bytes = bytes
    this.#delimiter = delimiter
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    if (this.#isRead) return
    yield* this.#bytes.until(this.#delimiter)
    this.#isRead = true
  }

  async skipRest(): Promise<void> {
    for await (const _ of this);
  }
}

/** A body as one run of bytes, of which no more than a chunk is held. */
class BodyBytes implements AsyncDisposable {
  readonly #chunks: AsyncIterator<Uint8Array>
  // RFC 2046 §5.1.1: the line break before a boundary belongs to it; the first may come without.
  #held: Buffer = Buffer.from('\r\n')

  constructor(body: AsyncIterable<Uint8Array>) {
    this.#chunks = body[Symbol.asyncIterator]()
  }

  /** The bytes before `mark`, which is taken out of the run. */
  async *until(mark: Buffer): AsyncGenerator<Uint8Array> {
    for (;;) {
      const at = this.#held.indexOf(mark)
      // Without the mark, its beginning may still be at the end.
      const given = this.#take(at === -1 ? this.#held.length - mark.length + 1 : at)
      if (at !== -1) this.#take(mark.length)
      if (given.length > 0) yield given
      if (at !== -1) return
      const tail = this.#held
      const { buffer, byteOffset, byteLength } = await this.#receive()
      const chunk = Buffer.from(buffer, byteOffset, byteLength)
      // Only a mark that may lie across two chunks costs a copy of them: files are large.
      const seam = Buffer.concat([tail, chunk.subarray(0, mark.length - 1)])
      const isApart = chunk.length >= mark.length && !seam.includes(mark)
      this.#held = isApart ? chunk : Buffer.concat([tail, chunk])
      if (isApart && tail.length > 0) yield tail
    }
  }

  /** The same as text, which must be UTF-8. */
  async textUntil(mark: Buffer, bytesMax: number): Promise<string> {
    const pieces: Uint8Array[] = []
    let length = 0
    for await (const piece of this.until(mark)) {
      length += piece.length
      if (length > bytesMax) throw new MultipartError('its headers are too long')
      pieces.push(piece)
    }
    const text = Buffer.concat(pieces)
    if (!isUtf8(text)) throw new MultipartError('a name in it is not UTF-8')
    return text.toString()
  }

  async startsWith(text: string): Promise<boolean> {
    while (this.#held.length < text.length) {
      this.#held = Buffer.concat([this.#held, await this.#receive()])
    }
    return this.#held.toString('latin1', 0, text.length) === text
  }

  async skipRest(): Promise<void> {
    while (!(await this.#next()).done);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // A body that broke off has said so already.
    await this.#chunks.return?.().catch(() => undefined)
  }

  #take(length: number): Buffer {
    const taken = this.#held.subarray(0, Math.max(0, length))
    this.#held = this.#held.subarray(taken.length)
    return taken
  }

  async #receive(): Promise<Uint8Array> {
    const { done, value } = await this.#next()
    if (done) throw new MultipartError('the upload broke off')
    return value
  }

  async #next(): Promise<IteratorResult<Uint8Array>> {
    try {
      return await this.#chunks.next()
    } catch (cause) {
      throw new MultipartError('the upload broke off', { cause })
    }
  }
}

function boundaryOf(contentType: string): string {
  const isForm = /^multipart\/form-data[ \t]*;/i.test(contentType)
  const found = isForm && /;[ \t]*boundary=(?:"([^"]+)"|([^\s;"]+))/i.exec(contentType)
  const boundary = found && (found[1] ?? found[2])
  // RFC 2046 §5.1.1
  if (!boundary || boundary.length > 70) throw new MultipartError('expected multipart/form-data')
  return boundary
}

/** `text` is what stands between a boundary and the content: the rest of its line, and the headers. */
function dispositionOf(text: string): { name: string; filename: string | null } {
  const [rest = '', ...lines] = text.split('\r\n')
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
 * Browsers write `"` as `%22` and backslashes as they are, command line tools write `\"`: only that is
 * undone. `filename*` has no place in a form (RFC 7578 §4.2).
 */
function parameterOf(header: string, wanted: string): string | null {
  const parameter = /[ \t]*;[ \t]*([\w*-]+)=(?:"((?:\\"|[^"])*)"|([^\s;"]*))/gy
  parameter.lastIndex = Math.max(0, header.indexOf(';'))
  for (const [, key, quoted, bare] of header.matchAll(parameter)) {
    if (key?.toLowerCase() === wanted) return quoted?.replaceAll('\\"', '"') ?? bare ?? ''
  }
  return null
}
