import type { Duplex } from 'node:stream'

/** Who is at the other end of a connection over TLS. */
export interface Visitor {
  readonly address: string
  /** The name of the handshake (SNI), canonical. */
  readonly serverName: string
}

/** A connection whose handshake has ended; its bytes are HTTP. */
export interface SecureConnection {
  readonly stream: Duplex
  readonly visitor: Visitor
}

/**
 * Takes a connection over and answers what comes on it. The only thing that TLS knows of HTTP, so that it can go away when
 * `Bun.serve` accepts certificates while it runs.
 */
export type AcceptConnection = (connection: SecureConnection) => void
