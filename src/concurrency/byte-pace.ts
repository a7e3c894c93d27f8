interface BytePaceOptions {
  readonly windowMs: number
  /** Before this time has passed, the pace is unknown. */
  readonly graceMs: number
  /** The milliseconds that count, of a monotonic clock that may stop meanwhile. */
  readonly elapsed: () => number
}

/** Measures bytes per second in windows of time, so that a pause shows soon after a quick beginning. */
export class BytePace {
  readonly #options: BytePaceOptions
  readonly #beganMs: number
  #bytes = 0
  #windowBeganMs: number
  #windowBytes = 0
  #lastWindow: number | null = null

  constructor(options: BytePaceOptions) {
    this.#options = options
    this.#beganMs = options.elapsed()
    this.#windowBeganMs = this.#beganMs
  }

  get bytes(): number {
    return this.#bytes
  }

  get elapsedMs(): number {
    return this.#options.elapsed() - this.#beganMs
  }

  /** Until the window may end; 0 or less when it may. */
  get windowLeftMs(): number {
    return this.#options.windowMs - this.#windowMs
  }

  /** In the last window that ended, else in the first one so far; null before `graceMs`. */
  get bytesPerSecond(): number | null {
    if (this.#lastWindow !== null) return this.#lastWindow
    return this.elapsedMs < this.#options.graceMs ? null : this.#windowBytesPerSecond()
  }

  /** Counts for the current window. */
  add(bytes: number): void {
    this.#bytes += bytes
    this.#windowBytes += bytes
  }

  /** Ends the window and returns true if it has lasted `windowMs`. */
  endWindow(): boolean {
    if (this.windowLeftMs > 0) return false
    this.#lastWindow = this.#windowBytesPerSecond()
    this.#windowBeganMs = this.#options.elapsed()
    this.#windowBytes = 0
    return true
  }

  get #windowMs(): number {
    return this.#options.elapsed() - this.#windowBeganMs
  }

  #windowBytesPerSecond(): number {
    return (this.#windowBytes * 1000) / this.#windowMs
  }
}
