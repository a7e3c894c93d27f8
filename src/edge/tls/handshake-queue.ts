import { handshakesAtOnceMax } from './connection-gate.ts'

/** Of the thread that answers visitors, what handshakes may take while several wait. The rest is for connections that are open. */
export const handshakeShare = 0.3

/** Longest pause after a handshake, however long it took: the process may have been suspended meanwhile. */
export const pauseMsMax = 50

/** Most handshakes that wait. The gate admits as many, but some that wait may belong to connections that are closed. */
export const waitingHandshakesMax = 2 * handshakesAtOnceMax

/** Debt that costs no pause: handshakes of closed connections, which take a microsecond. */
const debtMsMin = 0.1

interface HandshakeQueueOptions {
  /** Monotonic milliseconds. */
  readonly now?: () => number
  readonly later?: (run: () => void, ms: number) => void
}

/**
 * Begins one handshake after the other, with pauses that keep them to `handshakeShare` of the time by how long each one took. One
 * that comes alone begins at once. Of those that wait, the networks have their turn round robin.
 */
export class HandshakeQueue {
  readonly #now: () => number
  readonly #later: (run: () => void, ms: number) => void
  readonly #waiting = new Map<string, (() => void)[]>()
  #count = 0
  #nextAt = Number.NEGATIVE_INFINITY
  #isScheduled = false

  constructor(options: HandshakeQueueOptions = {}) {
    this.#now = options.now ?? (() => performance.now())
    this.#later = options.later ?? ((run, ms) => void setTimeout(run, ms))
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
    try {
      while (this.#count > 0 && this.#waitMs <= debtMsMin) this.#beginNext()
    } finally {
      if (this.#count > 0) this.#runLater()
    }
  }

  get #waitMs(): number {
    return this.#nextAt - this.#now()
  }

  #runLater(): void {
    this.#isScheduled = true
    const run = (): void => {
      this.#isScheduled = false
      this.#run()
    }
    this.#later(run, Math.max(0, Math.ceil(this.#waitMs)))
  }

  #beginNext(): void {
    const begin = this.#takeNext()
    const begunAt = this.#now()
    try {
      begin?.()
    } finally {
      const busyMs = (this.#now() - begunAt) / handshakeShare
      this.#nextAt = Math.max(this.#nextAt, begunAt) + Math.min(busyMs, pauseMsMax)
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
