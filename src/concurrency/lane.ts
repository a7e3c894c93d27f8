import { type Party, serversOf } from './pace-history.ts'

/** What is started; `onSlow` is called when it becomes slow, and when it goes aside after that. */
export interface Work {
  run(lane: Lane): Promise<void>
  onSlow(): void
  /** From the start, as by `Lane.stay`. */
  readonly pinned?: boolean
  /** Left out: it has no share, and nothing is remembered of it. */
  readonly party?: Party
}

/** Where one piece of work goes on. */
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
  #servers: readonly string[]

  constructor(
    { onSlow, party, pinned = false }: Pick<Work, 'onSlow' | 'party' | 'pinned'>,
    isSlow = false,
  ) {
    this.#onSlow = onSlow
    this.#party = party ?? null
    this.#servers = party?.host ? serversOf(party.host) : []
    this.#pinned = pinned
    this.#holdsMuch = pinned
    this.#isSlow = isSlow
  }

  /** Aborted when the work has to give way: others wait, and it holds a lane although its server is slow. */
  get signal(): AbortSignal {
    return this.#preempt.signal
  }

  get party(): Party | null {
    return this.#party
  }

  /** Host and registrable domain of its server; empty: not known. */
  get servers(): readonly string[] {
    return this.#servers
  }

  /** It counts against the lanes of slow work. */
  get isSlow(): boolean {
    return this.#isSlow
  }

  /** It is slow and holds next to nothing. */
  get isDetached(): boolean {
    return this.#isSlow && !this.#holdsMuch
  }

  /** Its server kept a lane waiting, other than by taking long to receive what it is sent. */
  get wasHeldUp(): boolean {
    return this.#wasHeldUp
  }

  /** Whose server it is, where that was not known or was another one. */
  servedBy(host: string): void {
    if (this.#party === null) return
    this.#party = { ...this.#party, host }
    this.#servers = serversOf(host)
  }

  /**
   * From now on it may not go aside, however slow it is: it holds too much for that. False when it has gone aside:
   * nobody comes back from there.
   */
  pin(): boolean {
    if (this.isDetached) return false
    this.#pinned = true
    this.#isSending = false
    return true
  }

  /** It has let go of what it held: from now on it goes aside when it is slow, at once if it became so. */
  detachWhenSlow(): void {
    this.#pinned = false
    this.#isSending = true
    if (this.#isLate) this.becomeSlow()
  }

  /** One call to its server takes long, or what that gave takes much of ours. */
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
    this.#preempt.abort(new Error('others wait, and the server of this one is slow'))
  }
}
