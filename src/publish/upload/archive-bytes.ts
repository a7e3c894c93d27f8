/** An archive as one run of bytes, of which no more than a chunk is held. */
export class ArchiveBytes implements AsyncDisposable {
  readonly #chunks: AsyncIterator<Uint8Array>
  readonly #bytesMax: number
  readonly #tooMany: () => Error
  #received = 0
  #held: Buffer = Buffer.alloc(0)

  /** Beyond `bytesMax` every call throws what `tooMany` returns. */
  constructor(
    chunks: AsyncIterable<Uint8Array>,
    { bytesMax, tooMany }: { bytesMax: number; tooMany: () => Error },
  ) {
    this.#chunks = chunks[Symbol.asyncIterator]()
    this.#bytesMax = bytesMax
    this.#tooMany = tooMany
  }

  /** The next `length` bytes; null if the archive ends before. */
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
      const { done, value } = await this.#chunks.next()
      if (done) return null
      this.#received += value.length
      if (this.#received > this.#bytesMax) throw this.#tooMany()
      this.#held = Buffer.from(value.buffer, value.byteOffset, value.byteLength)
    }
    const taken = this.#held.subarray(0, lengthMax)
    this.#held = this.#held.subarray(taken.length)
    return taken
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#chunks.return?.()
  }
}
