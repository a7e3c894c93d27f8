export interface FetchLimits {
  /** Of the decompressed response body; a longer one fails while it is read. */
  readonly responseBytesMax: number
  /** For the DNS look-up. */
  readonly lookupMs: number
  /** From the look-up to the response headers, not counting the time to send a body. */
  readonly headersMs: number
  /** Until the next bytes of the body arrive. */
  readonly idleMs: number
  /** Minimum rate of the body, averaged over any `rateWindowMs` that we spend waiting for it. */
  readonly bytesPerSecondMin: number
  readonly rateWindowMs: number
}

export const limitsDefault: FetchLimits = {
  responseBytesMax: 1024 * 1024,
  lookupMs: 10_000,
  headersMs: 10_000,
  idleMs: 10_000,
  bytesPerSecondMin: 32 * 1024,
  rateWindowMs: 30_000,
}

type Deadline = 'lookup' | 'headers' | 'idle' | 'rate' | 'overall'

/** The host took too long or sent too much. */
export class FetchLimitError extends Error {
  override readonly name = 'FetchLimitError'
  readonly limit: Deadline | 'bytes'

  constructor(limit: Deadline | 'bytes', url: string) {
    super(`${limit} limit reached; url=${url}`)
    this.limit = limit
  }
}

/** The timers of one request; the first to expire aborts it. */
export class Deadlines {
  readonly #controller = new AbortController()
  readonly #timers = new Map<Deadline, Timer>()
  readonly #url: string

  constructor(url: string) {
    this.#url = url
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  arm(deadline: Deadline, ms: number): void {
    this.disarm(deadline)
    const abort = () => this.#controller.abort(new FetchLimitError(deadline, this.#url))
    this.#timers.set(deadline, setTimeout(abort, ms))
  }

  disarm(deadline: Deadline): void {
    clearTimeout(this.#timers.get(deadline))
    this.#timers.delete(deadline)
  }

  disarmAll(): void {
    for (const deadline of [...this.#timers.keys()]) this.disarm(deadline)
  }
}
