import { createSecureContext, type SecureContext } from 'node:tls'
import { onAbort } from '#concurrency/or-aborted.ts'
import { canonicalHost } from '#edge/names/route.ts'
import { codeOf } from '#observe/code-of.ts'
import type { Log } from '#observe/log.ts'
import type { Admission, ConnectionGate } from './connection-gate.ts'
import { HandshakeQueue } from './handshake-queue.ts'
import type { AcceptConnection, ConnectionHandler } from './secure-connection.ts'
import { tlsPolicy } from './tls-policy.ts'

const http2 = 'h2'
/** In the wire format of ALPN. */
const protocols = `\x02${http2}\x08http/1.1`

/** How long a handshake may take. */
interface HandshakeLimits {
  readonly handshakeMsMax: number
  /** While a certificate is being ordered for a host that is visited for the first time; longer than visitors wait for it. */
  readonly firstHandshakeMsMax: number
}

const handshakeLimits: HandshakeLimits = {
  handshakeMsMax: 10_000,
  firstHandshakeMsMax: 35_000,
}

/** How handshakes end, as metrics count them. */
export type HandshakeEnd = 'done' | 'refused' | 'failed' | 'unknown-name'

export interface ContextSource {
  /** The certificate to show for a canonical name; null: there is none. */
  contextOf(serverName: string): SecureContext | Promise<SecureContext | null> | null
  /** Whether handshakes wait for certificates that are being ordered. */
  readonly isWaiting: boolean
}

interface TlsListenerOptions {
  readonly host: string
  readonly port: number
  readonly gate: ConnectionGate
  readonly contexts: ContextSource
  readonly accept: AcceptConnection
  readonly onHandshake: (end: HandshakeEnd) => void
  readonly limits?: HandshakeLimits
  readonly log: Log
}

export interface TlsListener extends AsyncDisposable {
  readonly port: number
  /** No new connections. Resolves when the open ones have ended, at the latest when the signal is aborted; closes the rest. */
  stop(over: AbortSignal): Promise<void>
}

/**
 * Ends TLS for visitors: a bounded number of connections and handshakes, certificates by name. Throws the system's error
 * if it cannot listen.
 */
export function listenTls(options: TlsListenerOptions): TlsListener {
  const { gate, host, log, onHandshake, port } = options
  const queue = new HandshakeQueue()
  const open = new Set<Connection>()
  const allClosed = Promise.withResolvers<void>()
  let isStopping = false
  const handlers: TlsHandlers = {
    // Before the handshake: nothing has been computed yet.
    open(socket) {
      const address = socket.remoteAddress as string | undefined
      // The client has reset the connection.
      if (address === undefined) return void socket.terminate()
      const admission = gate.admit(address)
      if (admission === null) {
        onHandshake('refused')
        socket.terminate()
        return
      }
      const connection = new Connection(socket, { address, admission, queue, options })
      socket.data = connection
      open.add(connection)
    },
    serverName(_, name, socket) {
      void socket.data?.choose(name)
      return isSuspended
    },
    handshake: (socket, isDone) => socket.data?.finishHandshake(isDone),
    data: (socket, bytes) => socket.data?.handler?.data(bytes),
    drain: (socket) => socket.data?.handler?.drain(),
    end(socket) {
      const handler = socket.data?.handler
      // In its handshake.
      if (!handler) socket.terminate()
      // It has no half-closed connections.
      else if (socket.alpnProtocol === http2) socket.close()
      else handler.end()
    },
    close({ data: connection }) {
      if (connection === undefined) return
      open.delete(connection)
      connection.close()
      if (isStopping && open.size === 0) allClosed.resolve()
    },
    error(socket, error) {
      if (codeOf(error) !== clientErrorCode) log.error('connection failed', { error })
      socket.terminate()
    },
  }
  const { context: secureContext } = createSecureContext(tlsPolicy)
  const listener = Bun.listen({
    hostname: host,
    port,
    allowHalfOpen: true,
    tls: { secureContext, ALPNProtocols: protocols } as Bun.TLSOptions,
    socket: handlers as Bun.SocketHandler<Connection | undefined>,
  })
  const closeAll = (): void => {
    for (const connection of open) connection.terminate()
  }
  return {
    port: listener.port,
    async stop(over) {
      isStopping = true
      listener.stop()
      if (open.size === 0) return
      using _ = onAbort(over, closeAll)
      await allClosed.promise
    },
    async [Symbol.asyncDispose]() {
      closeAll()
      listener.stop(true)
    },
  }
}

/** A listener's socket, with the method by which `node:tls` continues a handshake. It is in no document (Bun 1.4.5). */
interface TlsSocket extends Bun.Socket<Connection | undefined> {
  /** Computes the handshake before it returns; with an error, the client sees the connection end. */
  resumeSNI(context: unknown, isError: boolean): void
}

/** And the handler by which `node:tls` chooses contexts (Bun 1.4.5). */
interface TlsHandlers
  extends Pick<
    Bun.SocketHandler<Connection | undefined>,
    'close' | 'data' | 'drain' | 'end' | 'error' | 'handshake'
  > {
  open(socket: TlsSocket): void
  serverName(listener: unknown, name: string, socket: TlsSocket): typeof isSuspended
}

/** The handshake waits for `resumeSNI`. */
const isSuspended = true

/** Of a client that breaks the protocol after its handshake. */
const clientErrorCode = 'EPROTO'

interface ConnectionOptions {
  readonly address: string
  readonly admission: Admission
  readonly queue: HandshakeQueue
  readonly options: TlsListenerOptions
}

/** From its admission to its end. */
class Connection {
  /** Of its bytes, once its handshake has ended. */
  handler: ConnectionHandler | null = null
  readonly #socket: TlsSocket
  readonly #address: string
  readonly #admission: Admission
  readonly #queue: HandshakeQueue
  readonly #options: TlsListenerOptions
  #deadline: Timer
  #isInHandshake = true

  constructor(socket: TlsSocket, { address, admission, queue, options }: ConnectionOptions) {
    this.#socket = socket
    this.#address = address
    this.#admission = admission
    this.#queue = queue
    this.#options = options
    this.#deadline = this.#endLateHandshake()
  }

  /** The client has sent the name. */
  async choose(name: string): Promise<void> {
    const context = await this.#contextOf(name)
    if (context === null) return this.#refuse('unknown-name')
    const begin = (): void => this.#socket.resumeSNI(context.context, false)
    if (!this.#queue.add(this.#admission.network, begin)) this.#refuse('refused')
  }

  finishHandshake(isDone: boolean): void {
    const serverName = isDone ? canonicalHost(this.#socket.getServername()) : null
    this.#endHandshake(isDone ? 'done' : 'failed')
    if (serverName === null) {
      this.#socket.close()
      return
    }
    const visitor = { address: this.#address, serverName }
    const isHttp2 = this.#socket.alpnProtocol === http2
    this.handler = this.#options.accept({ socket: this.#socket, visitor, isHttp2 })
  }

  terminate(): void {
    this.#socket.terminate()
  }

  /** It is closed. */
  close(): void {
    this.#endHandshake('failed')
    this.#admission.end()
    this.handler?.close()
  }

  #refuse(end: HandshakeEnd): void {
    this.#endHandshake(end)
    this.#socket.resumeSNI(undefined, true)
  }

  #endHandshake(end: HandshakeEnd): void {
    if (!this.#isInHandshake) return
    this.#isInHandshake = false
    clearTimeout(this.#deadline)
    this.#admission.secured()
    this.#options.onHandshake(end)
  }

  async #contextOf(name: string): Promise<SecureContext | null> {
    try {
      const host = canonicalHost(name)
      return host === null ? null : await this.#options.contexts.contextOf(host)
    } catch (error) {
      this.#options.log.error('certificate not usable', { host: name, error })
      return null
    }
  }

  #endLateHandshake(): Timer {
    const { contexts, limits = handshakeLimits } = this.#options
    const { firstHandshakeMsMax, handshakeMsMax } = limits
    const end = (): void => this.#socket.terminate()
    return setTimeout(() => {
      if (!contexts.isWaiting) return end()
      this.#deadline = setTimeout(end, firstHandshakeMsMax - handshakeMsMax)
    }, handshakeMsMax)
  }
}
