import { type Party, serversOf } from './pace-history.ts'

/** Work to start; `onSlow` is called when it becomes slow, and when it detaches after that. */
export interface Work {
  run(lane: Lane): Promise<void>
  onSlow(): void
  /** Pinned from the start, as by `Lane.pin`. */
  readonly pinned?: boolean
  /** Without it, no share applies and the history records nothing. */
  readonly party?: Party
}

/** The work was preempted; it may be tried again. */
export class PreemptedError extends Error {
  override readonly name = 'PreemptedError'

  constructor(options?: ErrorOptions) {
    super('others wait, and the server of this one is slow', options)
  }
}

/** One running piece of work: whether it is slow, pinned or detached, and which server it waits for. */
export class Lane {
  readonly #preempt = new AbortController()
  readonly #onSlow: () => void
  #party: Party | null
  #isSlow: boolean
  #isLate = false
  #wasHeldUp = false
  #pinned: boolean
  #holdsMuch: boolean
  #isSending = false
  readonly #elapsed: () => number
  /** Waits for this process in progress, since when, and the milliseconds of those that have ended. */
  #ownWaits = 0
  #ownWaitSince = 0
  #ownWaitMs = 0
  #servers: readonly string[]

  constructor(
    { onSlow, party, pinned = false }: Pick<Work, 'onSlow' | 'party' | 'pinned'>,
    isSlow = false,
    elapsed: () => number = () => performance.now(),
  ) {
    this.#elapsed = elapsed
    this.#onSlow = onSlow
    this.#party = party ?? null
    this.#servers = party?.host ? serversOf(party.host) : []
    this.#pinned = pinned
    this.#holdsMuch = pinned
    this.#isSlow = isSlow
  }

  /** Aborted with a PreemptedError when the work is preempted: others wait, and it holds a lane although its server is slow. */
  get signal(): AbortSignal {
    return this.#preempt.signal
  }

  get party(): Party | null {
    return this.#party
  }

  /** Host and registrable domain of its server; empty while unknown. */
  get servers(): readonly string[] {
    return this.#servers
  }

  /** It counts against the lanes of slow work. */
  get isSlow(): boolean {
    return this.#isSlow
  }

  /** It is slow and holds almost no memory. */
  get isDetached(): boolean {
    return this.#isSlow && !this.#holdsMuch
  }

  /** Its server kept a lane waiting, other than by receiving slowly. */
  get wasHeldUp(): boolean {
    return this.#wasHeldUp
  }

  /** Sets the server, where it was unknown or a different one. */
  servedBy(host: string): void {
    if (this.#party === null) return
    this.#party = { ...this.#party, host }
    this.#servers = serversOf(host)
  }

  /** From now on the work holds too much memory to detach. Returns false if it has detached, which is final. */
  pin(): boolean {
    if (this.isDetached) return false
    this.#pinned = true
    this.#isSending = false
    return true
  }

  /** The work has released its memory: from now on it detaches when it is slow, at once if it already is. */
  detachWhenSlow(): void {
    this.#pinned = false
    this.#isSending = true
    if (this.#isLate) this.becomeSlow()
  }

  /** Runs work that waits for this process, such as for its processor: such time does not make the work slow. */
  async ownWait<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#ownWaits++ === 0) this.#ownWaitSince = this.#elapsed()
    try {
      return await work()
    } finally {
      if (--this.#ownWaits === 0) this.#ownWaitMs += this.#elapsed() - this.#ownWaitSince
    }
  }

  /** Milliseconds of `ownWait` so far. */
  get ownWaitMs(): number {
    const current = this.#ownWaits > 0 ? this.#elapsed() - this.#ownWaitSince : 0
    return this.#ownWaitMs + current
  }

  /** One call to its server takes long, or the server's answer is costly to process. */
  isHeldUp(): void {
    this.#wasHeldUp = true
    this.becomeSlow()
  }

  becomeSlow(): void {
    this.#isLate = true
    this.#isSlow = true
    if (!this.#isSending) this.#wasHeldUp = true
    if (!this.#pinned) this.#holdsMuch = false
    this.#onSlow()
  }

  preempt(): void {
    this.#preempt.abort(new PreemptedError())
  }
}
