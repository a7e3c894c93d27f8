import type {
  ByteSocket,
  ConnectionHandler,
  SecureConnection,
  Visitor,
} from './secure-connection.ts'
import { SendQueue } from './send-queue.ts'

interface PipeLimits {
  /** How long a client that has closed its side waits for an answer to begin. Some of them have left. */
  readonly unansweredMsMax: number
  /** How long it waits for more of an answer that has begun: where it ends is not seen. */
  readonly answeredMsMax: number
  /** How long a client may take to close its side after the server has ended the connection. */
  readonly lingerMsMax: number
  /** How long the system may take none of the bytes that wait for a client. */
  readonly stalledMsMax: number
}

export const defaultPipeLimits: PipeLimits = {
  unansweredMsMax: 30_000,
  answeredMsMax: 2_000,
  lingerMsMax: 10_000,
  stalledMsMax: 120_000,
}

/**
 * Passes decrypted bytes on to an HTTP server on loopback, and remembers by the port of each inner connection whose bytes
 * they are: no header says who a visitor is, so none can be forged.
 */
export class InnerPipe {
  #port: number
  readonly #limits: PipeLimits
  readonly #visitors = new Map<number, Visitor>()

  /** `port`: where the inner server listens. */
  constructor(port: number, limits = defaultPipeLimits) {
    this.#port = port
    this.#limits = limits
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
    const data = new PipedConnection(socket, onInnerOpen, this.#limits)
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
  readonly #limits: PipeLimits
  #inner: ByteSocket | null = null
  #visit: Disposable | null = null
  #deadline: Timer | null = null
  #isOuterPaused = false
  #isInnerPaused = false
  #isOuterClosed = false
  /** The client has closed its side. */
  #isHalfClosed = false
  /** The client has sent something since the server has. */
  #isAwaited = false
  /** The server has ended the connection. */
  #isOver = false

  constructor(
    outer: ByteSocket,
    onInnerOpen: (fromPort: number) => Disposable,
    limits: PipeLimits,
  ) {
    this.#outer = outer
    this.#toOuter = new SendQueue(outer)
    this.#onInnerOpen = onInnerOpen
    this.#limits = limits
  }

  data(bytes: Uint8Array): void {
    this.#isAwaited = true
    if (this.#isOver || this.#toInner.send(bytes)) return
    this.#isOuterPaused = true
    this.#outer.pause()
  }

  drain(): void {
    if (!this.#toOuter.flush()) return void this.#deadline?.refresh()
    if (this.#isOver) return void this.#endOuter()
    this.#clearDeadline()
    if (this.#isInnerPaused) this.#inner?.resume()
    this.#isInnerPaused = false
    if (this.#isHalfClosed) this.#limitTime()
  }

  end(): void {
    this.#isHalfClosed = true
    if (this.#isOver && this.#toOuter.isEmpty) this.#outer.close()
    else this.#limitTime()
  }

  close(): void {
    this.#isOuterClosed = true
    this.#clearDeadline()
    this.#inner?.close()
  }

  innerOpened(inner: Bun.Socket<PipedConnection>): void {
    if (this.#isOuterClosed) return void inner.close()
    this.#inner = inner
    this.#visit = this.#onInnerOpen(inner.localPort)
    if (this.#toInner.sendTo(inner)) this.#resumeOuter()
  }

  innerData(bytes: Uint8Array): void {
    this.#isAwaited = false
    if (this.#toOuter.send(bytes)) {
      if (this.#isHalfClosed) this.#limitTime()
      return
    }
    this.#isInnerPaused = true
    this.#inner?.pause()
    this.#limitTime()
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
    this.#resumeOuter()
    if (this.#toOuter.flush()) this.#endOuter()
    else this.#limitTime()
  }

  /** The system still sends what it has. */
  #endOuter(): void {
    if (this.#isHalfClosed) return void this.#outer.close()
    this.#outer.shutdown()
    this.#clearDeadline()
    this.#deadline = setTimeout(() => this.#outer.close(), this.#limits.lingerMsMax)
  }

  /** Of a client that does not read, or that has closed its side and may have left. A paused inner connection does not say that its server has given up. */
  #limitTime(): void {
    this.#clearDeadline()
    const { answeredMsMax, stalledMsMax, unansweredMsMax } = this.#limits
    this.#deadline = this.#toOuter.isEmpty
      ? setTimeout(() => this.#outer.close(), this.#isAwaited ? unansweredMsMax : answeredMsMax)
      : setTimeout(() => this.#outer.terminate(), stalledMsMax)
  }

  #clearDeadline(): void {
    if (this.#deadline !== null) clearTimeout(this.#deadline)
    this.#deadline = null
  }

  #resumeOuter(): void {
    if (this.#isOuterPaused) this.#outer.resume()
    this.#isOuterPaused = false
  }
}
