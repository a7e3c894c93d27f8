import { setTimeout } from 'node:timers/promises'
import { backoff } from '#concurrency/backoff.ts'
import { onAbort } from '#concurrency/or-aborted.ts'
import { FirehoseConnection } from './firehose-connection.ts'
import type {
  FirehoseEvent,
  FirehoseFormat,
  FirehoseFrame,
  FirehoseStep,
  GapReason,
} from './firehose-format.ts'
import { FirehosePosition } from './firehose-position.ts'
import { FirehoseQueue } from './firehose-queue.ts'
import { subscribeRepos, subscribeReposPath } from './firehose-repos.ts'
import { FirehoseStatus } from './firehose-status.ts'
import { jetstream } from './jetstream.ts'

/**
 * The events of a source, in its order, over as many connections as it takes, until the signal is aborted or the
 * caller leaves the loop; in batches of 1 to `batchMax`, as many as have arrived. At least once: after a reconnect
 * some are repeated. Skips and reports unreadable frames. Backpressure: while the caller is slow, the connection is
 * not read, and at most `queueEventsMax` events and one socket buffer are held here. Throws TypeError for an address
 * that `parseFirehoseUrl` rejects.
 */
export async function* followFirehoseInBatches(
  options: FirehoseOptions,
  batchMax: number,
): AsyncGenerator<readonly FirehoseEvent[]> {
  const source = parseFirehoseUrl(options.url)
  if (source === null) throw new TypeError('not the address of a firehose')
  const left = new AbortController()
  const signal = AbortSignal.any([options.signal, left.signal])
  const reader = new FirehoseReader(source, options)
  const reading = reader.run(signal)
  try {
    while (!signal.aborted && !reader.hasEnded) {
      const batch = reader.take(batchMax)
      if (batch.length === 0) await reader.arrival()
      else {
        yield batch
        reader.queued()
      }
    }
  } finally {
    left.abort()
    await reading
  }
}

export interface FirehoseOptions {
  /** As `parseFirehoseUrl` accepts it. */
  readonly url: string
  /** Where to continue: the last saved one of this source; null: from now on. */
  readonly cursor: number | null
  readonly collections: ReadonlySet<string>
  readonly signal: AbortSignal
  /** Receives skipped frames and lost connections. */
  readonly onProblem: (problem: string) => void
  /** Kept up to date. */
  readonly status?: FirehoseStatus
  readonly now?: () => number
  /** Between a lost connection and the next attempt; doubled with each failed one. */
  readonly pauseMs?: { readonly min: number; readonly max: number }
}

const pauseMsDefault = { min: 1000, max: 60_000 }

/** Keeps a connection to the source and queues its events. */
class FirehoseReader {
  readonly #source: FirehoseSource
  readonly #options: FirehoseOptions
  readonly #queue = new FirehoseQueue()
  readonly #status: FirehoseStatus
  readonly #now: () => number
  readonly #position: FirehosePosition
  #connection: FirehoseConnection | undefined
  /** Failed connections since the last step. */
  #attempts = 0

  constructor(source: FirehoseSource, options: FirehoseOptions) {
    this.#source = source
    this.#options = options
    this.#status = options.status ?? new FirehoseStatus()
    this.#now = options.now ?? Date.now
    this.#position = new FirehosePosition(source.format, options.cursor)
  }

  take(max: number): FirehoseEvent[] {
    const events = this.#queue.take(max)
    if (this.#queue.hasCapacity) this.#connection?.resume()
    return events
  }

  /** The caller has queued what it took last. */
  queued(): void {
    this.#status.queued(this.#now(), this.#queue.nextMadeAt)
  }

  /** Resolves when there are events to take, or there will be no more. */
  arrival(): Promise<void> {
    return this.#queue.arrival()
  }

  get hasEnded(): boolean {
    return this.#queue.isClosed
  }

  /** Resolves when the signal is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    try {
      while (!signal.aborted) {
        const reason = await this.#connect(signal)
        this.#status.isConnected = false
        if (signal.aborted) return
        this.#problem(`${reason}, trying again`)
        await setTimeout(this.#pauseMs(), undefined, { signal }).catch(() => undefined)
      }
    } finally {
      this.#queue.close()
      this.#status.left()
    }
  }

  async #connect(signal: AbortSignal): Promise<string> {
    const { collections } = this.#options
    const { base, format } = this.#source
    const cursor = this.#position.connect(this.#now())
    const connection = new FirehoseConnection(format.address({ base, cursor, collections }), {
      onOpen: () => this.#open(),
      onFrame: (data) => this.#receive(format.read(data, collections), connection),
    })
    using _ = onAbort(signal, () => connection.end('stopped'))
    this.#connection = connection
    if (!this.#queue.hasCapacity) connection.pause()
    return await connection.ended
  }

  #open(): void {
    this.#status.isConnected = true
    this.#pushGap(this.#position.open())
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
        this.#problem(frame.problem)
    }
    if (this.#queue.isFull) connection.pause()
  }

  #step(step: FirehoseStep): void {
    const { events, number } = step
    this.#attempts = 0
    this.#status.steps++
    const madeAt = this.#source.format.timeOf(step)
    this.#status.latestAt = madeAt
    const { gap, isBehind } = this.#position.step(number)
    this.#pushGap(gap)
    if (isBehind && !this.#source.format.isRoughlyOrdered) {
      this.#problem('number went back')
    }
    // A repeated event does no harm, so events behind the cursor are passed on, but never move it.
    const { cursor } = this.#position
    for (const [i, event] of events.entries()) {
      this.#queue.push({ ...event, cursor: i === events.length - 1 ? cursor : null }, madeAt)
    }
    if (events.length === 0 && cursor !== null) this.#queue.pass(cursor, madeAt)
    if (events.length > 0 || cursor !== null) this.#status.arrived(madeAt)
  }

  #problem(problem: string): void {
    this.#status.problems++
    this.#options.onProblem(problem)
  }

  #pushGap(reason: GapReason | null): void {
    if (reason !== null) this.#queue.push({ kind: 'gap', reason, cursor: null })
  }

  #pauseMs(): number {
    // Jitter: the source has lost its other clients too.
    const pauseMs = backoff({ ...(this.#options.pauseMs ?? pauseMsDefault), jitter: 0.5 })
    return pauseMs(this.#attempts++)
  }
}

interface FirehoseSource {
  /** `ws:` or `wss:`, without the parameters of a connection. */
  readonly base: URL
  readonly format: FirehoseFormat
}

/** Jetstream at `/subscribe`; an account server or relay at `subscribeReposPath` or the origin alone; else null. */
export function parseFirehoseUrl(input: string): FirehoseSource | null {
  if (!URL.canParse(input)) return null
  const base = new URL(input)
  const protocol = protocols[base.protocol]
  if (protocol === undefined || base.hash !== '') return null
  base.protocol = protocol
  if (base.pathname.endsWith('/subscribe')) return { base, format: jetstream }
  const isRepos = base.pathname === '/' || base.pathname === subscribeReposPath
  return isRepos ? { base, format: subscribeRepos } : null
}

const protocols: Readonly<Record<string, string>> = {
  'http:': 'ws:',
  'https:': 'wss:',
  'ws:': 'ws:',
  'wss:': 'wss:',
}
