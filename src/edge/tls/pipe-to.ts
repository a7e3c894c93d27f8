import { setTimeout as wait } from 'node:timers/promises'
import { codeOf } from '#observe/code-of.ts'
import type { ByteSocket, ConnectionHandler, SecureConnection } from './secure-connection.ts'
import { SendQueue } from './send-queue.ts'

export interface PipeLimits {
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

/** Where an inner server listens. */
export type InnerAddress =
  | { readonly hostname: string; readonly port: number }
  | { readonly unix: string }

interface PipeOptions {
  readonly to: InnerAddress
  readonly limits: PipeLimits
  /** Transforms the client's bytes before they are sent to the server. Called once for each chunk, in order; may modify the chunk. Null: the connection is ended. */
  readonly transform?: (bytes: Uint8Array) => Uint8Array | null
  /** Called with the inner connection; disposed when that has ended. */
  readonly onInnerOpen: (inner: Pick<Bun.Socket, 'localPort'>) => Disposable
  readonly onConnectFailed: OnConnectFailed
  /** Called with each chunk of the server, in order, before it is sent to the client. */
  readonly onAnswer?: (bytes: Uint8Array) => void
  /** One of the two connections is closed. May be called twice. */
  readonly onEnd?: () => void
}

/** Called with what the system said when an inner server cannot be reached; the visitor is disconnected. */
export type OnConnectFailed = (error: unknown) => void

/** Passes the bytes of a connection on to an inner server, and back, until one of them ends it. */
export function pipeTo({ socket }: SecureConnection, options: PipeOptions): ConnectionHandler {
  const connection = new PipedConnection(socket, options)
  connect(options.to, connection).catch((error: unknown) => {
    options.onConnectFailed(error)
    socket.terminate()
  })
  return connection
}

/** Ends a connection for which there is no inner server any more. */
export function refuse({ socket }: SecureConnection): ConnectionHandler {
  socket.terminate()
  return {
    data: () => undefined,
    drain: () => undefined,
    end: () => undefined,
    close: () => undefined,
  }
}

/** A Unix socket refuses connections (ECONNREFUSED) while its backlog is full, where TCP tries again: after each wait the server has accepted some. */
const connectAttemptsMax = 20
const connectAgainMs = 1

async function connect(to: InnerAddress, data: PipedConnection): Promise<void> {
  const inner = { data, socket: innerHandlers }
  for (let attemptsLeft = connectAttemptsMax; ; attemptsLeft--) {
    try {
      // Two overloads in Bun's types.
      await ('unix' in to ? Bun.connect({ ...to, ...inner }) : Bun.connect({ ...to, ...inner }))
      return
    } catch (error) {
      const isFull = 'unix' in to && codeOf(error) === 'ECONNREFUSED'
      if (!isFull || attemptsLeft === 1) throw error
      await wait(connectAgainMs)
      if (data.isOuterClosed) return
    }
  }
}

const innerHandlers: Bun.SocketHandler<PipedConnection> = {
  open: (socket) => socket.data.innerOpened(socket),
  data: (socket, bytes) => socket.data.innerData(bytes),
  drain: (socket) => socket.data.innerDrained(),
  close: (socket, error) => socket.data.innerClosed(error),
  error: (socket) => socket.close(),
  connectError: () => undefined,
}

/** A visitor's connection and the one to an inner server, whose bytes are passed on both ways. */
class PipedConnection implements ConnectionHandler {
  readonly #outer: ByteSocket
  readonly #toOuter: SendQueue
  readonly #toInner = new SendQueue()
  readonly #options: PipeOptions
  readonly #limits: PipeLimits
  #inner: ByteSocket | null = null
  #visit: Disposable | null = null
  #deadline: Timer | null = null
  #isOuterPaused = false
  #isInnerPaused = false
  /** The visitor has left. */
  isOuterClosed = false
  /** The client has closed its side. */
  #isHalfClosed = false
  /** The client has sent something since the server has. */
  #isAwaited = false
  /** The server has ended the connection. */
  #isOver = false

  constructor(outer: ByteSocket, options: PipeOptions) {
    this.#outer = outer
    this.#toOuter = new SendQueue(outer)
    this.#options = options
    this.#limits = options.limits
  }

  data(bytes: Uint8Array): void {
    this.#isAwaited = true
    if (this.#isOver) return
    const { transform } = this.#options
    const sent = transform === undefined ? bytes : transform(bytes)
    if (sent === null) return void this.#outer.terminate()
    if (this.#toInner.send(sent)) return
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
    this.isOuterClosed = true
    this.#options.onEnd?.()
    this.#clearDeadline()
    this.#inner?.close()
  }

  innerOpened(inner: Bun.Socket<PipedConnection>): void {
    if (this.isOuterClosed) return void inner.close()
    this.#inner = inner
    this.#visit = this.#options.onInnerOpen(inner)
    if (this.#toInner.sendTo(inner)) this.#resumeOuter()
  }

  innerData(bytes: Uint8Array): void {
    this.#isAwaited = false
    this.#options.onAnswer?.(bytes)
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
    this.#options.onEnd?.()
    if (this.isOuterClosed) return
    if (error !== undefined) return void this.#outer.terminate()
    this.#isOver = true
    this.#toInner.clear()
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
