import { KeyedCounts } from '#concurrency/keyed-counts.ts'

interface RequestLimits {
  readonly max: number
  /** Of one client's network. */
  readonly perNetworkMax: number
}

/** Requests that are being answered. Each keeps at most a piece of its answer in memory. */
const requestLimits: RequestLimits = { max: 4_000, perNetworkMax: 512 }

/** Counts requests until they are answered whole, of all clients and of each network. */
export class RequestsInProgress {
  readonly #limits: RequestLimits
  readonly #counts = new KeyedCounts()

  constructor(limits: RequestLimits = requestLimits) {
    this.#limits = limits
  }

  get total(): number {
    return this.#counts.total
  }

  /** Disposal, which is idempotent, ends the request. Null: there are too many. */
  begin(network: string): Disposable | null {
    const { max, perNetworkMax } = this.#limits
    const counts = this.#counts
    if (counts.total >= max || counts.of(network) >= perNetworkMax) return null
    counts.add(network, 1)
    let isOver = false
    return {
      [Symbol.dispose]() {
        if (isOver) return
        isOver = true
        counts.add(network, -1)
      },
    }
  }
}
