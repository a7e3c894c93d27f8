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
  readonly #byNetwork = new Map<string, number>()
  #total = 0

  constructor(limits: RequestLimits = requestLimits) {
    this.#limits = limits
  }

  get total(): number {
    return this.#total
  }

  /** Disposal, which is idempotent, ends the request. Null: there are too many. */
  begin(network: string): Disposable | null {
    const ofNetwork = this.#byNetwork.get(network) ?? 0
    if (this.#total >= this.#limits.max || ofNetwork >= this.#limits.perNetworkMax) return null
    this.#total += 1
    this.#byNetwork.set(network, ofNetwork + 1)
    let isOver = false
    return {
      [Symbol.dispose]: () => {
        if (isOver) return
        isOver = true
        this.#end(network)
      },
    }
  }

  #end(network: string): void {
    this.#total -= 1
    const ofNetwork = (this.#byNetwork.get(network) ?? 1) - 1
    if (ofNetwork === 0) this.#byNetwork.delete(network)
    else this.#byNetwork.set(network, ofNetwork)
  }
}
