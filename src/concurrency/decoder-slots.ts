/** Decoders that work at once, of the four threads that all file access and compression share. */
const decodersMax = 2
const waitingMax = 100

/** Lets so many decoders work at once, in order of arrival; of too many more nobody waits. */
export class DecoderSlots {
  readonly #waiting: (() => void)[] = []
  #taken = 0

  /** What the work results in, or `busy` when it was not begun. */
  async use<Result>(work: () => Promise<Result>): Promise<Result | 'busy'> {
    if (this.#taken < decodersMax) this.#taken++
    else if (this.#waiting.length >= waitingMax) return 'busy'
    else await new Promise<void>((resolve) => this.#waiting.push(resolve))
    try {
      return await work()
    } finally {
      this.#leave()
    }
  }

  // A slot goes straight to the first who waits: nobody who comes later overtakes.
  #leave(): void {
    const next = this.#waiting.shift()
    if (next === undefined) this.#taken--
    else next()
  }
}
