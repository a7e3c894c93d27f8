/** Work that waits for somebody's slow server, which costs next to nothing here. */
const asideMaxDefault = 32
const slowAfterMsDefault = 3_000

/** Others wait, and of those whose servers are slow this one has taken the longest. */
export class GivesWayError extends Error {
  override readonly name = 'GivesWayError'

  constructor() {
    super('others wait, and the server of this one is slow')
  }
}

/** What is started here; `onSlow` is told when it becomes slow, and when it goes aside after that. */
interface Work {
  run(lane: Lane): Promise<void>
  onSlow(): void
  /** From the start, as by `Lane.stay`. */
  readonly stays?: boolean
}

/** Where one piece of work goes on. */
export class Lane {
  readonly #giveWay = new AbortController()
  readonly #onSlow: () => void
  #isSlow = false
  #stays: boolean
  #letGo = (): void => undefined

  constructor({ onSlow, stays = false }: Pick<Work, 'onSlow' | 'stays'>) {
    this.#onSlow = onSlow
    this.#stays = stays
  }

  /** Aborted with GivesWayError when the work has to give way. */
  get signal(): AbortSignal {
    return this.#giveWay.signal
  }

  get isSlow(): boolean {
    return this.#isSlow
  }

  /** It takes up no room. */
  get isAside(): boolean {
    return this.#isSlow && !this.#stays
  }

  /**
   * From now on it takes up room however slow it is, and gives way first: it holds too much to do so beside
   * others. False when it has gone aside: nobody comes back from there.
   */
  stay(): boolean {
    if (this.isAside) return false
    this.#stays = true
    return true
  }

  /** From now on it goes aside when it is slow, at once if it is by now; `letGo` is called before that. */
  mayGoAside(letGo: () => void): void {
    this.#letGo = letGo
    this.#stays = false
    if (this.#isSlow) this.becomeSlow()
  }

  becomeSlow(): void {
    this.#isSlow = true
    if (!this.#stays) this.#letGo()
    this.#onSlow()
  }

  giveWay(): void {
    this.#giveWay.abort(new GivesWayError())
  }
}

/**
 * Room for so many at once. Who takes longer than three seconds goes on beside them, so that slow servers keep
 * nobody waiting. For each who waits, one gives way of those that are slow and have to stay; and of more than 32
 * aside, one of all that are slow: always the oldest.
 */
export class Lanes {
  readonly #quickMax: number
  readonly #asideMax: number
  readonly #slowAfterMs: number
  /** Oldest first. */
  readonly #running = new Set<Lane>()

  constructor(
    quickMax: number,
    options: {
      readonly asideMax?: number | undefined
      readonly slowAfterMs?: number | undefined
    } = {},
  ) {
    this.#quickMax = quickMax
    this.#asideMax = options.asideMax ?? asideMaxDefault
    this.#slowAfterMs = options.slowAfterMs ?? slowAfterMsDefault
  }

  /** How many take up room. */
  get busy(): number {
    return this.#running.size - Math.min(this.#asideMax, this.#aside.length)
  }

  /** How many more may be started. */
  get room(): number {
    return this.#quickMax - this.busy
  }

  async start(work: Work): Promise<void> {
    const lane = new Lane(work)
    this.#running.add(lane)
    const timer = setTimeout(() => lane.becomeSlow(), this.#slowAfterMs)
    try {
      await work.run(lane)
    } finally {
      clearTimeout(timer)
      this.#running.delete(lane)
    }
  }

  /** Somebody waits who has no room. */
  makeRoom(): void {
    const isCrowded = this.#aside.length > this.#asideMax
    const slow = [...this.#running].filter(
      ({ isSlow, isAside }) => isSlow && (isCrowded || !isAside),
    )
    if (slow.some(({ signal }) => signal.aborted)) return
    slow[0]?.giveWay()
  }

  get #aside(): Lane[] {
    return [...this.#running].filter(({ isAside }) => isAside)
  }
}
