import {
  defaultPipeLimits,
  type OnConnectFailed,
  type PipeLimits,
  pipeTo,
  refuse,
} from './pipe-to.ts'
import type { ConnectionHandler, SecureConnection, Visitor } from './secure-connection.ts'

const hostname = '127.0.0.1'

/** What an inner server knows of a request's connection. */
type InnerServer = Pick<Bun.Server<undefined>, 'port' | 'requestIP'>

/**
 * Passes decrypted HTTP/1.1 on to a server on loopback, and remembers by the port of each inner connection whose bytes
 * they are: no header says who a visitor is, so none can be forged.
 */
export class Http1Pipe {
  #port: number | null
  readonly #onConnectFailed: OnConnectFailed
  readonly #limits: PipeLimits
  readonly #visitors = new Map<number, Visitor>()

  /** `port`: where the inner server listens; null: there is none yet. */
  constructor(port: number | null, onConnectFailed: OnConnectFailed, limits = defaultPipeLimits) {
    this.#port = port
    this.#onConnectFailed = onConnectFailed
    this.#limits = limits
  }

  /** New connections go to another inner server from now on; null: they are ended. */
  leadTo(port: number | null): void {
    this.#port = port
  }

  /** Null: the request did not come through here. */
  visitorOf(request: Request, server: InnerServer): Visitor | null {
    const peer = server.requestIP(request)
    // Somebody else on this machine may use a visitor's port at another address of loopback.
    if (peer?.address !== hostname) return null
    return this.#visitors.get(keyOf(server.port ?? 0, peer.port)) ?? null
  }

  readonly accept = (connection: SecureConnection): ConnectionHandler => {
    const { visitor } = connection
    const port = this.#port
    if (port === null) return refuse(connection)
    const visitors = this.#visitors
    const onInnerOpen = ({ localPort }: Pick<Bun.Socket, 'localPort'>): Disposable => {
      const key = keyOf(port, localPort)
      visitors.set(key, visitor)
      return {
        [Symbol.dispose]() {
          // Another connection may have got the port.
          if (visitors.get(key) === visitor) visitors.delete(key)
        },
      }
    }
    return pipeTo(connection, {
      to: { hostname, port },
      limits: this.#limits,
      onConnectFailed: this.#onConnectFailed,
      onInnerOpen,
    })
  }
}

/** A client may use one port for connections to two servers. */
const keyOf = (innerPort: number, fromPort: number): number => innerPort * 65_536 + fromPort
