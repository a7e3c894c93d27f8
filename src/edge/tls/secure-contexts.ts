import { createSecureContext, type SecureContext } from 'node:tls'
import type { Certificate } from '#certificates/certificate.ts'
import { LruMap } from '#concurrency/lru-map.ts'
import { SingleFlight } from '#concurrency/single-flight.ts'
import { tlsPolicy } from './tls-policy.ts'

/** A context takes about 25 kB. */
const contextsMax = 2_000

/** Where a host's certificate is. Two places are the same certificate when both fields are equal. */
export interface CertificatePlace {
  /** The name that it was issued for: the host, or `*.` and its domain. */
  readonly name: string
  /** Changes when the certificate is renewed. */
  readonly version: number
}

interface ContextsOptions {
  /** From memory: clients can make up any name. */
  readonly placeOf: (host: string) => CertificatePlace | null
  /** Null: it is gone. */
  readonly read: (place: CertificatePlace) => Promise<Certificate | null>
}

/** The certificates that were shown last, ready for a handshake; the rest is read when somebody comes. */
export class SecureContexts {
  readonly #options: ContextsOptions
  readonly #contexts = new LruMap<string, Loaded>(contextsMax)
  readonly #loads = new SingleFlight<string, SecureContext | null>()

  constructor(options: ContextsOptions) {
    this.#options = options
  }

  contextOf(host: string): SecureContext | Promise<SecureContext | null> | null {
    const place = this.#options.placeOf(host)
    if (place === null) return null
    const known = this.#contexts.get(place.name)
    if (known?.version === place.version) return known.context
    return this.#loads.run(`${place.name} ${place.version}`, () => this.#load(place))
  }

  async #load(place: CertificatePlace): Promise<SecureContext | null> {
    const certificate = await this.#options.read(place)
    if (certificate === null) return null
    const context = createSecureContext({
      ...tlsPolicy,
      cert: certificate.chain,
      key: certificate.key,
    })
    this.#contexts.set(place.name, { version: place.version, context })
    return context
  }
}

interface Loaded {
  readonly version: number
  readonly context: SecureContext
}
