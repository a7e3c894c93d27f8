import { randomBytes } from 'node:crypto'
import { clientNetwork, isTrustedProxy, type TrustedProxies } from '#http/client-address.ts'
import { FieldInserter } from './field-inserter.ts'
import { OpenStreams, StreamCounts, type StreamLimits } from './open-streams.ts'
import {
  defaultPipeLimits,
  type InnerAddress,
  type OnConnectFailed,
  pipeTo,
  refuse,
} from './pipe-to.ts'
import type { ConnectionHandler, SecureConnection, Visitor } from './secure-connection.ts'

/** Holds the token of the connection on which a request came. */
export const connectionField = 'sitehost-connection'

/** 128 bits: a token cannot be guessed. */
const tokenBytes = 16

interface Http2PipeOptions {
  readonly onConnectFailed: OnConnectFailed
  /** Their connections count only among all. */
  readonly trustedProxies: TrustedProxies
  readonly streamLimits?: StreamLimits
}

/**
 * Passes decrypted HTTP/2 on to a server of this process and adds a field with the connection's token to each request. A Unix
 * socket has no peer address, and `requestIP` costs two system calls a request. Whoever reads a token and can reach the socket can pose as its
 * visitor until the connection ends: the field is never logged.
 */
export class Http2Pipe {
  #to: InnerAddress | null = null
  readonly #onConnectFailed: OnConnectFailed
  readonly #trustedProxies: TrustedProxies
  readonly #streams: StreamCounts
  readonly #visitors = new Map<string, Visitor>()

  constructor({ onConnectFailed, streamLimits, trustedProxies }: Http2PipeOptions) {
    this.#onConnectFailed = onConnectFailed
    this.#trustedProxies = trustedProxies
    this.#streams = new StreamCounts(streamLimits)
  }

  /** New connections go to this inner server from now on; null: they are ended. It accepts HTTP/2 only. */
  leadTo(address: InnerAddress | null): void {
    this.#to = address
  }

  /** Null: the request did not come through here, or its client has sent such a field, too. */
  visitorOf(request: Request): Visitor | null {
    return this.#visitors.get(request.headers.get(connectionField) ?? '') ?? null
  }

  /** Whether the visitor's network, or all networks together, have too many requests in progress. */
  isCrowded({ address }: Visitor): boolean {
    return this.#streams.isCrowded(this.#networkOf(address))
  }

  /** How many requests are in progress. */
  get streams(): number {
    return this.#streams.total
  }

  /** Null: the address is one of the trusted proxies. */
  #networkOf(address: string): string | null {
    return isTrustedProxy(address, this.#trustedProxies) ? null : clientNetwork(address, 64)
  }

  readonly accept = (connection: SecureConnection): ConnectionHandler => {
    const to = this.#to
    if (to === null) return refuse(connection)
    const visitors = this.#visitors
    const token = randomBytes(tokenBytes).toString('base64url')
    const streams = new OpenStreams(this.#streams, this.#networkOf(connection.visitor.address))
    const inserter = new FieldInserter(connectionField, token, streams)
    const onInnerOpen = (): Disposable => {
      visitors.set(token, connection.visitor)
      return { [Symbol.dispose]: () => void visitors.delete(token) }
    }
    const transform = (bytes: Uint8Array) => inserter.insert(bytes)
    return pipeTo(connection, {
      to,
      limits: defaultPipeLimits,
      onConnectFailed: this.#onConnectFailed,
      onAnswer: (bytes) => streams.readAnswers(bytes),
      onEnd: () => streams.close(),
      onInnerOpen,
      transform,
    })
  }
}
