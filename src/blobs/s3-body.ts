/** The body of an answer broke off, was cut, or is longer than anything that was stored. */
export class S3BodyError extends Error {
  override readonly name = 'S3BodyError'
}

/** The body of one answer; reading it throws S3BodyError when the connection or the server fails. */
export class S3Body {
  /** As the server announced it; null: not announced. */
  readonly length: number | null
  readonly #stream: ReadableStream<Uint8Array> | null
  readonly #onChunk: (sinceMs: number) => void
  readonly #beganAt = performance.now()

  /** `onChunk` is called for each chunk with the time since the body began. */
  constructor({ body, headers }: Response, onChunk: (sinceMs: number) => void) {
    const announced = headers.get('content-length')
    this.length = announced !== null && /^\d{1,15}$/.test(announced) ? Number(announced) : null
    this.#stream = body
    this.#onChunk = onChunk
  }

  /** All chunks, together at most `bytesMax` and exactly what was announced. */
  async *chunks(bytesMax: number): AsyncGenerator<Uint8Array> {
    let bytes = 0
    for await (const chunk of this.#read()) {
      bytes += chunk.byteLength
      if (bytes > bytesMax) throw new S3BodyError(`longer than ${bytesMax} bytes`)
      yield chunk
    }
    if (this.length !== null && this.length !== bytes) {
      throw new S3BodyError(`${bytes} of ${this.length} bytes`)
    }
  }

  async whole(bytesMax: number): Promise<Uint8Array<ArrayBuffer>> {
    return concatenated(await Array.fromAsync(this.chunks(bytesMax)))
  }

  /** The first bytes, about so many, for a message; a broken body counts as far as it came. */
  async start(bytesMax: number): Promise<Uint8Array<ArrayBuffer>> {
    const chunks: Uint8Array[] = []
    let bytes = 0
    try {
      for await (const chunk of this.#read()) {
        chunks.push(chunk.subarray(0, bytesMax - bytes))
        bytes += chunk.byteLength
        if (bytes >= bytesMax) break
      }
    } catch (error) {
      if (!(error instanceof S3BodyError)) throw error
    }
    return concatenated(chunks)
  }

  async *#read(): AsyncGenerator<Uint8Array> {
    if (this.#stream === null) return
    const reader = this.#stream.getReader()
    try {
      for (;;) {
        const { done, value } = await reader.read().catch((cause) => {
          throw new S3BodyError('broke off', { cause })
        })
        if (done) return
        this.#onChunk(performance.now() - this.#beganAt)
        yield value
      }
    } finally {
      // Frees the connection of a body that is not read to its end; a broken stream rejects once more.
      await reader.cancel().catch(() => undefined)
    }
  }
}

function concatenated(chunks: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(chunks.reduce((sum, { byteLength }) => sum + byteLength, 0))
  let at = 0
  for (const chunk of chunks) {
    bytes.set(chunk, at)
    at += chunk.byteLength
  }
  return bytes
}
