/** What one request may take. */
export interface FetchLimits {
  /** Of the response body, unpacked; a longer one fails while it is read. */
  readonly responseBytesMax: number
  /** Until the name is looked up. */
  readonly lookupMs: number
  /** From then until the headers of the answer are there, the time to send a body not counted. */
  readonly headersMs: number
  /** Until the next bytes of the body come. */
  readonly idleMs: number
  /** How fast a body must come, on average over any time of `rateWindowMs` in which we wait for it. */
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

/** A host that users name took too long, or sent more than it may. */
export class FetchLimitError extends Error {
  override readonly name = 'FetchLimitError'
  readonly limit: Deadline | 'bytes'

  constructor(limit: Deadline | 'bytes', url: string) {
    super(`${limit} limit reached; url=${url}`)
    this.limit = limit
  }
}

/** Timers that abort one request when they run out. */
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
