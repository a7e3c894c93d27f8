import { RateLimiter } from '#concurrency/rate-limiter.ts'
import type { Allowance } from '#concurrency/token-bucket.ts'
import {
  clientAddress,
  clientNetwork,
  isTrustedProxy,
  type TrustedProxies,
} from '#http/client-address.ts'

/** Connections over TLS, open or in their handshake. Each takes three of the process's open files. */
export const tlsConnectionsMax = 16_000
/** Of one client's network; trusted proxies, which have many visitors, are exempt. */
export const tlsConnectionsPerNetworkMax = 512
export const handshakesAtOnceMax = 512
export const handshakesPerNetworkMax = 64

const networkAllowance: Allowance = { count: 100, windowMs: 1_000 }

export interface GateLimits {
  readonly connectionsMax: number
  /** Of one client's network. */
  readonly connectionsPerNetworkMax: number
  readonly handshakesMax: number
  readonly handshakesPerNetworkMax: number
  /** Of new connections; null: something else paces them. */
  readonly rate: Allowance | null
  readonly ratePerNetwork: Allowance
}

const tlsLimits: GateLimits = {
  connectionsMax: tlsConnectionsMax,
  connectionsPerNetworkMax: tlsConnectionsPerNetworkMax,
  handshakesMax: handshakesAtOnceMax,
  handshakesPerNetworkMax,
  // A refusal costs 60 µs and brings the next attempt at once: `handshake-queue` lets them wait instead.
  rate: null,
  ratePerNetwork: networkAllowance,
}

/** A connection that counts until `end`. */
export interface Admission {
  /** Of the client; empty for all trusted proxies. */
  readonly network: string
  /** Its handshake has ended well. Idempotent. */
  secured(): void
  /** It is closed. Idempotent. */
  end(): void
}

interface GateOptions {
  readonly trustedProxies: TrustedProxies
  readonly limits?: GateLimits
  /** Monotonic milliseconds. */
  readonly now: () => number
}

/** Which connections may begin a handshake: admission control before any cryptography. */
export class ConnectionGate {
  readonly #limits: GateLimits
  readonly #trustedProxies: TrustedProxies
  readonly #all: RateLimiter | null
  readonly #byNetwork: RateLimiter
  readonly #networks = new Map<string, Counts>()
  readonly #total: Counts = { connections: 0, handshakes: 0 }

  constructor({ limits = tlsLimits, trustedProxies, now }: GateOptions) {
    this.#limits = limits
    this.#trustedProxies = trustedProxies
    this.#all = limits.rate && new RateLimiter(limits.rate, { now })
    this.#byNetwork = new RateLimiter(limits.ratePerNetwork, { now })
  }

  /** Connections, and how many of them are in their handshake. */
  get total(): Readonly<Counts> {
    return this.#total
  }

  /** Null: this connection has to be closed at once. */
  admit(address: string): Admission | null {
    if (this.#total.connections >= this.#limits.connectionsMax) return null
    if (this.#total.handshakes >= this.#limits.handshakesMax) return null
    const isFront = isTrustedProxy(address, this.#trustedProxies)
    const network = isFront ? null : clientNetwork(clientAddress(address, noHeaders, []), 64)
    if (network !== null && !this.#hasShare(network)) return null
    if (this.#all !== null && this.#all.take('') > 0) return null
    return this.#count(network)
  }

  #hasShare(network: string): boolean {
    const { connections, handshakes } = this.#networks.get(network) ?? none
    if (connections >= this.#limits.connectionsPerNetworkMax) return false
    return handshakes < this.#limits.handshakesPerNetworkMax && this.#byNetwork.take(network) === 0
  }

  #count(network: string | null): Admission {
    const counts = [this.#total]
    if (network !== null) {
      const own = this.#networks.get(network) ?? { ...none }
      this.#networks.set(network, own)
      counts.push(own)
    }
    let state: 'handshake' | 'open' | 'ended' = 'handshake'
    for (const each of counts) each.connections += 1
    for (const each of counts) each.handshakes += 1
    const secured = (): void => {
      if (state !== 'handshake') return
      state = 'open'
      for (const each of counts) each.handshakes -= 1
    }
    const end = (): void => {
      if (state === 'ended') return
      secured()
      state = 'ended'
      for (const each of counts) each.connections -= 1
      if (network !== null && counts[1]?.connections === 0) this.#networks.delete(network)
    }
    return { network: network ?? '', secured, end }
  }
}

interface Counts {
  connections: number
  handshakes: number
}

const none: Readonly<Counts> = { connections: 0, handshakes: 0 }
const noHeaders = new Headers()
