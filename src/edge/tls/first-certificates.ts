import type { SecureContext } from 'node:tls'
import type { CertificateIndex } from '#certificates/certificate-index.ts'
import { TtlMap } from '#concurrency/lru-map.ts'
import { SingleFlight } from '#concurrency/single-flight.ts'
import type { ContextSource } from './tls-listener.ts'

/** How long the first visitors of a host wait for its certificate. */
export const firstCertificateMsMax = 30_000
/** Hosts for which visitors wait at the same time. */
const waitingHostsMax = 50
/** Hosts whose certificate did not come are not waited for again so soon. */
const gaveUp = { max: 10_000, ttlMs: 60_000 }

interface FirstOptions {
  readonly contexts: Pick<ContextSource, 'contextOf'>
  readonly index: Pick<CertificateIndex, 'await'>
  /** Whether the host may have a certificate; null: not known yet. From memory: clients can make up any name. */
  readonly permits: (host: string) => boolean | null
  /** Has one ordered; false: the last order has failed, and the next one is later than anybody would wait. */
  readonly want: (host: string) => Promise<boolean>
  /** Monotonic milliseconds. */
  readonly now: () => number
}

/** Certificates that are there, or that are ordered when the first visitor of a permitted host comes, who waits for it. */
export class FirstCertificates implements ContextSource {
  readonly #options: FirstOptions
  readonly #waiting = new SingleFlight<string, SecureContext | null>()
  readonly #gaveUp: TtlMap<string, true>

  constructor(options: FirstOptions) {
    this.#options = options
    this.#gaveUp = new TtlMap({ ...gaveUp, now: options.now })
  }

  get isWaiting(): boolean {
    return this.#waiting.size > 0
  }

  contextOf(host: string): SecureContext | Promise<SecureContext | null> | null {
    const { contexts, permits } = this.#options
    const context = contexts.contextOf(host)
    if (context !== null) return context
    const isFull = !this.#waiting.has(host) && this.#waiting.size >= waitingHostsMax
    if (isFull || this.#gaveUp.get(host) || permits(host) !== true) return null
    return this.#waiting.run(host, () => this.#wait(host))
  }

  async #wait(host: string): Promise<SecureContext | null> {
    const { contexts, index, want } = this.#options
    const { promise, resolve } = Promise.withResolvers<void>()
    using _ = index.await(host, resolve)
    const timer = setTimeout(resolve, firstCertificateMsMax)
    let isTried: boolean
    try {
      isTried = await want(host)
      if (isTried) await promise
    } finally {
      clearTimeout(timer)
    }
    const context = isTried ? await contexts.contextOf(host) : null
    if (context === null) this.#gaveUp.set(host, true)
    return context
  }
}
