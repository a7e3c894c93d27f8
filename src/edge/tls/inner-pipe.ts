import { connect } from 'node:net'
import type { SecureConnection, Visitor } from './secure-connection.ts'

/** How long a client may take to close its side, and to take the last bytes, after the server has ended the connection. */
const lingerMsMax = 10_000

/**
 * Passes decrypted bytes on to an HTTP server on loopback, and remembers by the port of each inner connection whose bytes
 * they are: no header says who a visitor is, so none can be forged.
 */
export class InnerPipe {
  #port: number
  readonly #visitors = new Map<number, Visitor>()

  /** `port`: where the inner server listens. */
  constructor(port: number) {
    this.#port = port
  }

  /** New connections go to another inner server from now on. */
  leadTo(port: number): void {
    this.#port = port
  }

  /** Undefined: the connection from that port to the inner server did not come through here. */
  visitorAt(innerPort: number, fromPort: number): Visitor | undefined {
    return this.#visitors.get(keyOf(innerPort, fromPort))
  }

  readonly accept = ({ stream, visitor }: SecureConnection): void => {
    const innerPort = this.#port
    const inner = connect({ host: '127.0.0.1', port: innerPort, noDelay: true })
    inner.once('connect', () => {
      const key = keyOf(innerPort, inner.localPort ?? 0)
      this.#visitors.set(key, visitor)
      inner.once('close', () => {
        // Another connection may have got the port.
        if (this.#visitors.get(key) === visitor) this.#visitors.delete(key)
      })
      stream.pipe(inner)
      inner.pipe(stream)
    })
    inner.on('error', () => stream.destroy())
    inner.once('end', () => {
      const linger = setTimeout(() => stream.destroy(), lingerMsMax)
      stream.once('close', () => clearTimeout(linger))
    })
    stream.on('error', () => inner.destroy())
    stream.once('close', () => inner.destroy())
  }
}

/** A client may use one port for connections to two servers. */
const keyOf = (innerPort: number, fromPort: number): number => innerPort * 65_536 + fromPort
