import { handshakesAtOnceMax } from './connection-gate.ts'

/** Of the thread that answers visitors, what handshakes may take while several wait. The rest is for connections that are open. */
export const handshakeShare = 0.15

/** Longest pause after a handshake, however long it took: the process may have been suspended meanwhile. */
export const pauseMsMax = 50

/** Most handshakes that wait. The gate admits as many, but some that wait may belong to connections that are closed. */
export const waitingHandshakesMax = 2 * handshakesAtOnceMax

/**
 * How far ahead of their share handshakes may be: those that come together after a time with few begin without pauses, about 40 of an elliptic
 * curve. A pause makes one 190 µs dearer, because the thread falls asleep and wakes up.
 */
export const burstMsMax = 60

/** Once so much is computed, the event loop has a turn. Handshakes of closed connections take a microsecond. */
const turnMsMax = 0.1

interface HandshakeQueueOptions {
  /** Monotonic milliseconds. */
  readonly now?: () => number
  /** 0 ms: after a turn of the event loop. */
  readonly later?: (run: () => void, ms: number) => void
}

/**
 * Begins one handshake after the other, at most one in a turn of the event loop. Beyond a burst, pauses keep them to `handshakeShare` of the time by how
 * long each one took. One that comes alone begins at once. Of those that wait, the networks have their turn round robin.
 */
export class HandshakeQueue {
  readonly #now: () => number
  readonly #later: (run: () => void, ms: number) => void
  readonly #waiting = new Map<string, (() => void)[]>()
  #count = 0
  /** A token bucket, by when what was taken from it is refilled. */
  #spentUntil = Number.NEGATIVE_INFINITY
  #isScheduled = false

  constructor(options: HandshakeQueueOptions = {}) {
    this.#now = options.now ?? (() => performance.now())
    this.#later = options.later ?? runLater
  }

  /** `begin` computes the handshake before it returns. False: too many wait, and it will not be called. */
  add(network: string, begin: () => void): boolean {
    if (this.#count >= waitingHandshakesMax) return false
    const ofNetwork = this.#waiting.get(network)
    if (ofNetwork === undefined) this.#waiting.set(network, [begin])
    else ofNetwork.push(begin)
    this.#count += 1
    if (!this.#isScheduled) this.#run()
    return true
  }

  #run(): void {
    const begunAt = this.#now()
    const usedMs = (): number => this.#now() - begunAt
    try {
      while (this.#count > 0 && this.#waitMs <= 0 && usedMs() < turnMsMax) this.#beginNext()
    } finally {
      if (this.#count > 0) this.#runAfter(Math.max(0, Math.ceil(this.#waitMs)))
      // Those that are added in this turn of the event loop wait for the next one.
      else if (usedMs() >= turnMsMax) this.#runAfter(0)
    }
  }

  get #waitMs(): number {
    return this.#spentUntil - this.#now() - burstMsMax
  }

  #runAfter(ms: number): void {
    this.#isScheduled = true
    const run = (): void => {
      this.#isScheduled = false
      this.#run()
    }
    this.#later(run, ms)
  }

  #beginNext(): void {
    const begin = this.#takeNext()
    const begunAt = this.#now()
    try {
      begin?.()
    } finally {
      const busyMs = (this.#now() - begunAt) / handshakeShare
      this.#spentUntil = Math.max(this.#spentUntil, begunAt) + Math.min(busyMs, pauseMsMax)
    }
  }

  #takeNext(): (() => void) | undefined {
    for (const [network, waiting] of this.#waiting) {
      const begin = waiting.shift()
      this.#count -= 1
      // To the end: round robin.
      this.#waiting.delete(network)
      if (waiting.length > 0) this.#waiting.set(network, waiting)
      return begin
    }
    return undefined
  }
}

function runLater(run: () => void, ms: number): void {
  if (ms === 0) setImmediate(run)
  else setTimeout(run, ms)
}
