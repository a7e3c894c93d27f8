import { setTimeout } from 'node:timers/promises'
import { backoff } from '#concurrency/backoff.ts'
import { FirehoseConnection } from './firehose-connection.ts'
import type { FirehoseEvent, GapReason } from './firehose-event.ts'
import type { FirehoseFrame } from './firehose-format.ts'
import { FirehosePosition } from './firehose-position.ts'
import { FirehoseQueue } from './firehose-queue.ts'
import type { FirehoseSource } from './firehose-source.ts'

export interface FirehoseOptions {
  /** Of a form that `parseFirehoseUrl` takes. */
  readonly url: string
  /** Where to go on: what was saved last for this source. Null: with what comes from now on. */
  readonly cursor: number | null
  readonly collections: ReadonlySet<string>
  readonly signal: AbortSignal
  /** Told about frames that were skipped and connections that were lost. */
  readonly onProblem: (problem: string) => void
  readonly now?: () => number
  /** Between a lost connection and the next attempt; doubled with each in vain. */
  readonly pauseMs?: { readonly min: number; readonly max: number }
}

const pauseMsDefault = { min: 1000, max: 60_000 }

/** Keeps a connection to the source and puts what it says into a queue. */
export class FirehoseReader {
  readonly #source: FirehoseSource
  readonly #options: FirehoseOptions
  readonly #queue = new FirehoseQueue()
  readonly #position: FirehosePosition
  #connection: FirehoseConnection | undefined
  /** Since something last came. */
  #attempts = 0

  constructor(source: FirehoseSource, options: FirehoseOptions) {
    this.#source = source
    this.#options = options
    this.#position = new FirehosePosition(source.format, options.cursor)
  }

  take(): FirehoseEvent | undefined {
    const event = this.#queue.take()
    if (this.#queue.hasRoom) this.#connection?.resume()
    return event
  }

  /** Resolves when there is something to take, or nothing comes any more. */
  arrival(): Promise<void> {
    return this.#queue.arrival()
  }

  /** Nothing comes any more. */
  get hasEnded(): boolean {
    return this.#queue.isClosed
  }

  /** Resolves when the signal is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    try {
      while (!signal.aborted) {
        const reason = await this.#connect(signal)
        if (signal.aborted) return
        this.#options.onProblem(`${reason}, trying again`)
        await setTimeout(this.#pauseMs(), undefined, { signal }).catch(() => undefined)
      }
    } finally {
      this.#queue.close()
    }
  }

  async #connect(signal: AbortSignal): Promise<string> {
    const { collections, now = Date.now } = this.#options
    const { base, format } = this.#source
    const cursor = this.#position.connect(now())
    const connection = new FirehoseConnection(format.address({ base, cursor, collections }), {
      onOpen: () => this.#pushGap(this.#position.open()),
      onFrame: (data) => this.#receive(format.read(data, collections), connection),
    })
    const stop = (): void => connection.end('stopped')
    signal.addEventListener('abort', stop)
    this.#connection = connection
    if (!this.#queue.hasRoom) connection.pause()
    try {
      return await connection.ended
    } finally {
      signal.removeEventListener('abort', stop)
    }
  }

  #receive(frame: FirehoseFrame, connection: FirehoseConnection): void {
    switch (frame.kind) {
      case 'step':
        this.#step(frame)
        break
      case 'outdated-cursor':
        this.#pushGap(this.#position.clamp())
        break
      case 'future-cursor':
        this.#position.refuse()
        connection.end('cursor of the future')
        break
      case 'problem':
        this.#options.onProblem(frame.problem)
    }
    if (this.#queue.isFull) connection.pause()
  }

  #step({ number, hints }: Extract<FirehoseFrame, { kind: 'step' }>): void {
    this.#attempts = 0
    const { gap, isBehind } = this.#position.step(number)
    this.#pushGap(gap)
    if (isBehind && !this.#source.format.isRoughlyOrdered) {
      this.#options.onProblem('number went back')
    }
    // A hint too many is no harm, so those behind the cursor are handed on, but never move it.
    const { cursor } = this.#position
    for (const [i, hint] of hints.entries()) {
      this.#queue.push({ ...hint, cursor: i === hints.length - 1 ? cursor : null })
    }
    if (hints.length === 0 && cursor !== null) this.#queue.pass(cursor)
  }

  #pushGap(reason: GapReason | null): void {
    if (reason !== null) this.#queue.push({ kind: 'gap', reason, cursor: null })
  }

  /** Not the same for everybody whom the source has lost. */
  #pauseMs(): number {
    const pauseMs = backoff({ ...(this.#options.pauseMs ?? pauseMsDefault), jitter: 0.5 })
    return pauseMs(this.#attempts++)
  }
}
