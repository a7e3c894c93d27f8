const windowMs = 30_000
/** Before this age, the pace is unknown. */
const graceMs = 3_000

/** Measures how fast a reader takes bytes. The time that we need to produce them counts, too. */
export class ReadPace {
  readonly #now: () => number
  readonly #began: number
  #bytes = 0
  #windowBegan: number
  #windowBytes = 0
  #lastWindow: number | null = null

  /** `now`: a monotonic clock. */
  constructor(now: () => number) {
    this.#now = now
    this.#began = now()
    this.#windowBegan = this.#began
  }

  get bytes(): number {
    return this.#bytes
  }

  get ageMs(): number {
    return this.#now() - this.#began
  }

  /** In the last complete window, else in the first one so far; infinite at the very beginning. */
  get bytesPerSecond(): number {
    this.#closeWindow()
    if (this.#lastWindow !== null) return this.#lastWindow
    return this.ageMs < graceMs ? Number.POSITIVE_INFINITY : this.#windowBytesPerSecond()
  }

  /** Adding 0 from time to time ends the window of a reader that takes nothing. */
  add(bytes: number): void {
    this.#closeWindow()
    this.#bytes += bytes
    this.#windowBytes += bytes
  }

  #closeWindow(): void {
    const now = this.#now()
    if (now - this.#windowBegan < windowMs) return
    this.#lastWindow = this.#windowBytesPerSecond()
    this.#windowBegan = now
    this.#windowBytes = 0
  }

  #windowBytesPerSecond(): number {
    return (this.#windowBytes * 1000) / (this.#now() - this.#windowBegan)
  }
}
