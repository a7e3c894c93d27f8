import { setTimeout } from 'node:timers/promises'
import { backoff } from '#concurrency/backoff.ts'
import { FirehoseConnection } from './firehose-connection.ts'
import type { FirehoseEvent, FirehoseFormat, FirehoseFrame, GapReason } from './firehose-format.ts'
import { FirehosePosition } from './firehose-position.ts'
import { subscribeRepos, subscribeReposPath } from './firehose-repos.ts'
import { jetstream } from './jetstream.ts'

/**
 * The events of a source, in its order, over as many connections as it takes, until the signal ends it or
 * the loop is left; so many at once as have come, one at least and `batchMax` at most. At least once: after a
 * reconnect some come again. Frames that are none are skipped and
 * told. Whoever takes events slower than they come is waited for: the source's connection is not read
 * meanwhile, and what is held here stays within `queueEventsMax` and the content of one socket buffer.
 * Throws TypeError for an address that `parseFirehoseUrl` does not take.
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
      const batch = takeUpTo(batchMax, reader)
      if (batch.length === 0) await reader.arrival()
      else yield batch
    }
  } finally {
    left.abort()
    await reading
  }
}

function takeUpTo(max: number, reader: FirehoseReader): FirehoseEvent[] {
  const batch: FirehoseEvent[] = []
  while (batch.length < max) {
    const event = reader.take()
    if (event === undefined) break
    batch.push(event)
  }
  return batch
}

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
class FirehoseReader {
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
    if (this.#queue.hasCapacity) this.#connection?.resume()
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
    if (!this.#queue.hasCapacity) connection.pause()
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

  #step({ number, wakeUps }: Extract<FirehoseFrame, { kind: 'step' }>): void {
    this.#attempts = 0
    const { gap, isBehind } = this.#position.step(number)
    this.#pushGap(gap)
    if (isBehind && !this.#source.format.isRoughlyOrdered) {
      this.#options.onProblem('number went back')
    }
    // A hint too many is no harm, so those behind the cursor are handed on, but never move it.
    const { cursor } = this.#position
    for (const [i, hint] of wakeUps.entries()) {
      this.#queue.push({ ...hint, cursor: i === wakeUps.length - 1 ? cursor : null })
    }
    if (wakeUps.length === 0 && cursor !== null) this.#queue.pass(cursor)
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

/** Reading stops at this many events that nobody has taken, and goes on at half of it. */
export const queueEventsMax = 2000

/** Events on their way to their one consumer, in order. `pass` never adds to a queue that has just passed. */
export class FirehoseQueue {
  readonly #events: FirehoseEvent[] = []
  #arrived = Promise.withResolvers<void>()
  #isClosed = false

  get isFull(): boolean {
    return this.#events.length >= queueEventsMax
  }

  get hasCapacity(): boolean {
    return this.#events.length <= queueEventsMax / 2
  }

  push(event: FirehoseEvent): void {
    this.#events.push(event)
    this.#arrived.resolve()
  }

  /** Nothing of ours up to this cursor. */
  pass(cursor: number): void {
    if (this.#events.at(-1)?.kind === 'passed') this.#events.pop()
    this.push({ kind: 'passed', cursor })
  }

  take(): FirehoseEvent | undefined {
    return this.#events.shift()
  }

  /** Resolves when there is something to take, or the queue is closed. */
  async arrival(): Promise<void> {
    if (this.#events.length > 0 || this.#isClosed) return
    this.#arrived = Promise.withResolvers()
    await this.#arrived.promise
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  close(): void {
    this.#isClosed = true
    this.#arrived.resolve()
  }
}

/** Where events come from, and how they are told there. */
interface FirehoseSource {
  /** `ws:` or `wss:`, without what a connection adds. */
  readonly base: URL
  readonly format: FirehoseFormat
}

/**
 * The path decides: `/subscribe` at its end is a Jetstream; the origin alone, or the path of
 * `com.atproto.sync.subscribeRepos`, an account server or relay. Null for everything else.
 */
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
