import type {
  ByteSocket,
  ConnectionHandler,
  SecureConnection,
  Visitor,
} from './secure-connection.ts'
import { SendQueue } from './send-queue.ts'

/** How long a client may take to close its side, and to take the last bytes, after the server has ended the connection. */
const defaultLingerMsMax = 10_000

/**
 * Passes decrypted bytes on to an HTTP server on loopback, and remembers by the port of each inner connection whose bytes
 * they are: no header says who a visitor is, so none can be forged.
 */
export class InnerPipe {
  #port: number
  readonly #lingerMsMax: number
  readonly #visitors = new Map<number, Visitor>()

  /** `port`: where the inner server listens. */
  constructor(port: number, lingerMsMax = defaultLingerMsMax) {
    this.#port = port
    this.#lingerMsMax = lingerMsMax
  }

  /** New connections go to another inner server from now on. */
  leadTo(port: number): void {
    this.#port = port
  }

  /** Undefined: the connection from that port to the inner server did not come through here. */
  visitorAt(innerPort: number, fromPort: number): Visitor | undefined {
    return this.#visitors.get(keyOf(innerPort, fromPort))
  }

  readonly accept = ({ socket, visitor }: SecureConnection): ConnectionHandler => {
    const port = this.#port
    const visitors = this.#visitors
    const onInnerOpen = (fromPort: number): Disposable => {
      const key = keyOf(port, fromPort)
      visitors.set(key, visitor)
      return {
        [Symbol.dispose]() {
          // Another connection may have got the port.
          if (visitors.get(key) === visitor) visitors.delete(key)
        },
      }
    }
    const data = new PipedConnection(socket, onInnerOpen, this.#lingerMsMax)
    const to = { hostname: '127.0.0.1', port, data, socket: innerHandlers }
    Bun.connect(to).catch(() => socket.terminate())
    return data
  }
}

/** A client may use one port for connections to two servers. */
const keyOf = (innerPort: number, fromPort: number): number => innerPort * 65_536 + fromPort

const innerHandlers: Bun.SocketHandler<PipedConnection> = {
  open: (socket) => socket.data.innerOpened(socket),
  data: (socket, bytes) => socket.data.innerData(bytes),
  drain: (socket) => socket.data.innerDrained(),
  close: (socket, error) => socket.data.innerClosed(error),
  error: (socket) => socket.close(),
  connectError: () => undefined,
}

class PipedConnection implements ConnectionHandler {
  readonly #outer: ByteSocket
  readonly #toOuter: SendQueue
  readonly #toInner = new SendQueue()
  readonly #onInnerOpen: (fromPort: number) => Disposable
  readonly #lingerMsMax: number
  #inner: ByteSocket | null = null
  #visit: Disposable | null = null
  #linger: Timer | null = null
  #isOuterPaused = false
  #isInnerPaused = false
  #isOuterClosed = false
  /** The server has ended the connection. */
  #isOver = false

  constructor(
    outer: ByteSocket,
    onInnerOpen: (fromPort: number) => Disposable,
    lingerMsMax: number,
  ) {
    this.#outer = outer
    this.#toOuter = new SendQueue(outer)
    this.#onInnerOpen = onInnerOpen
    this.#lingerMsMax = lingerMsMax
  }

  data(bytes: Uint8Array): void {
    if (this.#isOver || this.#toInner.send(bytes)) return
    this.#isOuterPaused = true
    this.#outer.pause()
  }

  drain(): void {
    if (!this.#toOuter.flush()) return
    if (this.#isOver) this.#outer.shutdown()
    else if (this.#isInnerPaused) this.#inner?.resume()
    this.#isInnerPaused = false
  }

  close(): void {
    this.#isOuterClosed = true
    if (this.#linger !== null) clearTimeout(this.#linger)
    this.#inner?.close()
  }

  innerOpened(inner: Bun.Socket<PipedConnection>): void {
    if (this.#isOuterClosed) return void inner.close()
    this.#inner = inner
    this.#visit = this.#onInnerOpen(inner.localPort)
    if (this.#toInner.sendTo(inner)) this.#resumeOuter()
  }

  innerData(bytes: Uint8Array): void {
    if (this.#toOuter.send(bytes)) return
    this.#isInnerPaused = true
    this.#inner?.pause()
  }

  innerDrained(): void {
    if (this.#toInner.flush()) this.#resumeOuter()
  }

  innerClosed(error: Error | undefined): void {
    this.#inner = null
    this.#visit?.[Symbol.dispose]()
    if (this.#isOuterClosed) return
    if (error !== undefined) return void this.#outer.terminate()
    this.#isOver = true
    this.#linger = setTimeout(() => this.#endLinger(), this.#lingerMsMax)
    this.#resumeOuter()
    if (this.#toOuter.flush()) this.#outer.shutdown()
  }

  /** The system still sends what it has; `terminate` would discard it. */
  #endLinger(): void {
    if (this.#toOuter.flush()) this.#outer.close()
    else this.#outer.terminate()
  }

  #resumeOuter(): void {
    if (this.#isOuterPaused) this.#outer.resume()
    this.#isOuterPaused = false
  }
}
