import type { FirehoseFormat, GapReason } from './firehose-format.ts'

export interface StepPlace {
  /** Why events are missing before the step; null: none are. */
  readonly gap: GapReason | null
  /** It does not advance the cursor: repeated, or out of order. */
  readonly isBehind: boolean
}

/** Our position in one source's numbers, over all connections to it. No I/O. */
export class FirehosePosition {
  readonly #format: FirehoseFormat
  #cursor: number | null
  /** Why a connection without a cursor misses events. */
  #missing: GapReason = 'no-cursor'
  /** The cursor we connected with, until the source's first frame shows whether it had it. */
  #asked: number | null = null

  constructor(format: FirehoseFormat, cursor: number | null) {
    this.#format = format
    this.#cursor = cursor
  }

  /** The highest number since the last gap that moved it back; null: none. */
  get cursor(): number | null {
    return this.#cursor
  }

  /** The cursor to connect with, at this time in milliseconds. */
  connect(now: number): number | null {
    if (this.#cursor !== null && this.#format.isFuture(this.#cursor, now)) this.refuse()
    this.#asked = this.#cursor
    return this.#cursor
  }

  /** Why events are missing when a connection opens; null: none are. */
  open(): GapReason | null {
    return this.#cursor === null ? this.#missing : null
  }

  /** The source does not know the cursor: the next connection begins without one. */
  refuse(): void {
    this.#cursor = null
    this.#missing = 'future-cursor'
  }

  /** The source reported that it continues after a later number than asked. */
  clamp(): GapReason {
    this.#asked = null
    return 'outdated-cursor'
  }

  /** Takes the next step's number. Only a source that started anew moves the cursor back. */
  step(number: number): StepPlace {
    const gap = this.#asked === null ? null : this.#format.gapBefore(number, this.#asked)
    this.#asked = null
    const isBehind = gap === null && this.#cursor !== null && number <= this.#cursor
    if (!isBehind) this.#cursor = number
    return { gap, isBehind }
  }
}
