/** Bytes that arrive in chunks, as one run of which no more than a chunk is held. */
export class ByteReader implements AsyncDisposable {
  readonly #chunks: AsyncIterator<Uint8Array>
  #held: Buffer

  /** `start` comes before the first chunk. */
  constructor(chunks: AsyncIterable<Uint8Array>, start = '') {
    this.#chunks = chunks[Symbol.asyncIterator]()
    this.#held = Buffer.from(start)
  }

  /** The next `length` bytes; null if there are fewer. */
  async take(length: number): Promise<Buffer | null> {
    const pieces: Uint8Array[] = []
    for (let left = length; left > 0; ) {
      const piece = await this.takeSome(left)
      if (piece === null) return null
      pieces.push(piece)
      left -= piece.length
    }
    return Buffer.concat(pieces)
  }

  /** The next 1 to `lengthMax` bytes; null at the end. */
  async takeSome(lengthMax: number): Promise<Buffer | null> {
    while (this.#held.length === 0) {
      const chunk = await this.#receive()
      if (chunk === null) return null
      this.#held = chunk
    }
    return this.#takeHeld(lengthMax)
  }

  /** Yields the bytes before `mark` and takes the mark, too. Returns false if the bytes end without it. */
  async *until(mark: Buffer): AsyncGenerator<Uint8Array, boolean> {
    for (;;) {
      const at = this.#held.indexOf(mark)
      // Without the mark, its beginning may still be at the end.
      const before = this.#takeHeld(at === -1 ? this.#held.length - mark.length + 1 : at)
      if (at !== -1) this.#takeHeld(mark.length)
      if (before.length > 0) yield before
      if (at !== -1) return true
      const tail = this.#held
      const chunk = await this.#receive()
      if (chunk === null) return false
      // Copies two chunks only if the mark may span them: files are large.
      const seam = Buffer.concat([tail, chunk.subarray(0, mark.length - 1)])
      const isApart = chunk.length >= mark.length && !seam.includes(mark)
      this.#held = isApart ? chunk : Buffer.concat([tail, chunk])
      if (isApart && tail.length > 0) yield tail
    }
  }

  /** Whether the next bytes are these; takes none. */
  async startsWith(ascii: string): Promise<boolean> {
    while (this.#held.length < ascii.length) {
      const chunk = await this.#receive()
      if (chunk === null) return false
      this.#held = Buffer.concat([this.#held, chunk])
    }
    return this.#held.toString('latin1', 0, ascii.length) === ascii
  }

  async skipRest(): Promise<void> {
    while ((await this.#receive()) !== null);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // A source that failed has thrown already.
    await this.#chunks.return?.().catch(() => undefined)
  }

  #takeHeld(lengthMax: number): Buffer {
    const taken = this.#held.subarray(0, Math.max(0, lengthMax))
    this.#held = this.#held.subarray(taken.length)
    return taken
  }

  async #receive(): Promise<Buffer | null> {
    const { done, value } = await this.#chunks.next()
    return done ? null : Buffer.from(value.buffer, value.byteOffset, value.byteLength)
  }
}

/** The same chunks; more than `bytesMax` throw what `tooMany` returns. */
export async function* bounded(
  chunks: AsyncIterable<Uint8Array>,
  bytesMax: number,
  tooMany: () => Error,
): AsyncGenerator<Uint8Array> {
  let bytes = 0
  for await (const chunk of chunks) {
    bytes += chunk.byteLength
    if (bytes > bytesMax) throw tooMany()
    yield chunk
  }
}
