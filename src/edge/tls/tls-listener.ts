import type { AddressInfo } from 'node:net'
import { createServer, type SecureContext, type TLSSocket } from 'node:tls'
import { onAbort } from '#concurrency/or-aborted.ts'
import { canonicalHost } from '#edge/names/route.ts'
import { startListening } from '#inbound/listen-tcp.ts'
import type { Log } from '#observe/log.ts'
import type { ConnectionGate } from './connection-gate.ts'
import { HandshakeQueue } from './handshake-queue.ts'
import type { AcceptConnection } from './secure-connection.ts'
import { tlsPolicy } from './tls-policy.ts'

const protocols = ['h2', 'http/1.1']

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
 * Ends TLS for visitors: a bounded number of connections and handshakes, certificates by name. Rejects with the system's error
 * if it cannot listen.
 */
export async function listenTls(options: TlsListenerOptions): Promise<TlsListener> {
  const { accept, contexts, gate, host, limits = handshakeLimits } = options
  const { log, onHandshake, port } = options
  const handshakes = new Map<TLSSocket, Handshake>()
  const queue = new HandshakeQueue()
  const open = new Set<TLSSocket>()
  const server = createServer(
    {
      ...tlsPolicy,
      ALPNProtocols: protocols,
      handshakeTimeout: limits.firstHandshakeMsMax,
      SNICallback: (name, done) => {
        const network = networkOfNamed(handshakes)
        void showCertificate({ name, network, done }, queue, options)
      },
    },
    (socket) => {
      handshakes.get(socket)?.[Symbol.dispose]()
      const { remoteAddress } = socket
      const serverName = canonicalHost(serverNameOf(socket))
      // A client that hung up has no address.
      if (serverName === null || remoteAddress === undefined) {
        socket.destroy()
        return
      }
      onHandshake('done')
      accept({ stream: socket, visitor: { address: remoteAddress, serverName } })
    },
  )
  // Before the handshake: nothing has been computed yet.
  server.on('connection', (socket: TLSSocket) => {
    socket.on('error', () => socket.destroy())
    const admission = gate.admit(socket.remoteAddress ?? '')
    if (admission === null) {
      onHandshake('refused')
      socket.destroy()
      return
    }
    open.add(socket)
    const deadline = endLateHandshake(socket, contexts, limits)
    handshakes.set(socket, {
      network: admission.network,
      isNamed: false,
      [Symbol.dispose]: () => {
        handshakes.delete(socket)
        deadline[Symbol.dispose]()
        admission.secured()
      },
    })
    socket.once('close', () => {
      handshakes.get(socket)?.[Symbol.dispose]()
      open.delete(socket)
      admission.end()
    })
  })
  server.on('tlsClientError', (_, socket) => {
    if (handshakes.has(socket)) onHandshake('failed')
    socket.destroy()
  })
  await startListening(server, { host, port })
  server.on('error', (error) => log.error('TLS listener failed', { error }))
  const closeAll = (): void => {
    for (const socket of open) socket.destroy()
  }
  return {
    port: (server.address() as AddressInfo).port,
    async stop(over) {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      using _ = onAbort(over, closeAll)
      await closed
    },
    async [Symbol.asyncDispose]() {
      closeAll()
      server.close()
    },
  }
}

/** Node and Bun have it on sockets of servers; the types do not. */
const serverNameOf = (socket: TLSSocket): string | null =>
  'servername' in socket && typeof socket.servername === 'string' ? socket.servername : null

interface Handshake extends Disposable {
  readonly network: string
  /** Its client has sent the name. */
  isNamed: boolean
}

/**
 * The network of the one handshake whose client has just sent a name. Bun tells the name without its connection, but the
 * connection's handle, which is in no document (Bun 1.4.5), knows its name. Empty where it does not: those wait in one line.
 */
function networkOfNamed(handshakes: ReadonlyMap<TLSSocket, Handshake>): string {
  for (const [socket, handshake] of handshakes) {
    if (handshake.isNamed || !handleOf(socket)?.getServername?.()) continue
    handshake.isNamed = true
    return handshake.network
  }
  return ''
}

const handleOf = (socket: TLSSocket): { getServername?(): unknown } | null | undefined =>
  (socket as { _handle?: { getServername?(): unknown } | null })._handle

interface NamedHandshake {
  readonly name: string
  readonly network: string
  /** With a context it computes the handshake before it returns; without one the client sees the connection end. */
  readonly done: (error: Error | null, context?: SecureContext) => void
}

async function showCertificate(
  { done, name, network }: NamedHandshake,
  queue: HandshakeQueue,
  options: TlsListenerOptions,
): Promise<void> {
  const context = await chooseContext(name, options)
  if (context === null) return done(new NoCertificateError(name))
  const begin = (): void => {
    try {
      done(null, context)
    } catch (error) {
      options.log.error('handshake failed', { host: name, error })
    }
  }
  if (queue.add(network, begin)) return
  options.onHandshake('refused')
  done(new TooManyHandshakesError())
}

async function chooseContext(
  name: string,
  { contexts, log, onHandshake }: TlsListenerOptions,
): Promise<SecureContext | null> {
  try {
    const host = canonicalHost(name)
    const context = host === null ? null : await contexts.contextOf(host)
    if (context === null) onHandshake('unknown-name')
    return context
  } catch (error) {
    log.error('certificate not usable', { host: name, error })
    return null
  }
}

class TooManyHandshakesError extends Error {
  override readonly name = 'TooManyHandshakesError'

  constructor() {
    super('too many handshakes wait')
  }
}

class NoCertificateError extends Error {
  override readonly name = 'NoCertificateError'

  constructor(host: string) {
    super(`no certificate for this name; host=${host}`)
  }
}

function endLateHandshake(
  socket: TLSSocket,
  contexts: ContextSource,
  { firstHandshakeMsMax, handshakeMsMax }: HandshakeLimits,
): Disposable {
  let timer = setTimeout(() => {
    if (!contexts.isWaiting) return void socket.destroy()
    timer = setTimeout(() => socket.destroy(), firstHandshakeMsMax - handshakeMsMax)
  }, handshakeMsMax)
  return { [Symbol.dispose]: () => clearTimeout(timer) }
}
