import type { FirehoseFormat, GapReason } from './firehose-format.ts'

/** What a step's number says beside itself. */
export interface StepPlace {
  /** Events are missing before it. */
  readonly gap: GapReason | null
  /** It is no news to the cursor: a repetition, or out of order. */
  readonly isBehind: boolean
}

/** Where we are in the numbers of one source, over all connections to it. No I/O. */
export class FirehosePosition {
  readonly #format: FirehoseFormat
  #cursor: number | null
  /** Of a connection without a cursor. */
  #missing: GapReason = 'no-cursor'
  /** The cursor we connected with, until something came that shows what the source made of it. */
  #asked: number | null = null

  constructor(format: FirehoseFormat, cursor: number | null) {
    this.#format = format
    this.#cursor = cursor
  }

  /** The highest number so far, since the last gap that took it back. Null: none. */
  get cursor(): number | null {
    return this.#cursor
  }

  /** The cursor to connect with, at this time in milliseconds. */
  connect(now: number): number | null {
    if (this.#cursor !== null && this.#format.isFuture(this.#cursor, now)) this.refuse()
    this.#asked = this.#cursor
    return this.#cursor
  }

  /** What is missing by the time a connection is open. */
  open(): GapReason | null {
    return this.#cursor === null ? this.#missing : null
  }

  /** The source does not know the cursor: the next connection begins with what comes then. */
  refuse(): void {
    this.#cursor = null
    this.#missing = 'future-cursor'
  }

  /** The source told by itself that it goes on later than asked. */
  clamp(): GapReason {
    this.#asked = null
    return 'outdated-cursor'
  }

  /** Takes the next step's number. Only a source that started anew takes the cursor back. */
  step(number: number): StepPlace {
    const gap = this.#asked === null ? null : this.#format.gapBefore(number, this.#asked)
    this.#asked = null
    const isBehind = gap === null && this.#cursor !== null && number <= this.#cursor
    if (!isBehind) this.#cursor = number
    return { gap, isBehind }
  }
}
