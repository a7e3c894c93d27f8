import { listenTcp } from '#inbound/listen-tcp.ts'
import type { ConnectionGate, GateLimits } from './connection-gate.ts'
import type { AcceptConnection } from './secure-connection.ts'

/** At port 80 everybody is answered with a few bytes. Each connection takes three of the process's open files. */
export const plainGateLimits: GateLimits = {
  connectionsMax: 2_000,
  connectionsPerNetworkMax: 64,
  handshakesMax: 2_000,
  handshakesPerNetworkMax: 64,
  rate: { count: 1_000, windowMs: 500 },
  ratePerNetwork: { count: 100, windowMs: 1_000 },
}

/** How long a connection may be open, whatever comes on it. */
const defaultConnectionMsMax = 30_000

interface PlainListenerOptions {
  readonly host: string
  readonly port: number
  readonly gate: ConnectionGate
  readonly accept: AcceptConnection
  readonly connectionMsMax?: number
}

/** Accepts a bounded number of connections without TLS, each for a bounded time. Rejects with the system's error if it cannot listen. */
export function listenPlain(options: PlainListenerOptions): Promise<AsyncDisposable> {
  const { accept, connectionMsMax = defaultConnectionMsMax, gate, host, port } = options
  return listenTcp({
    host,
    port,
    connectionMsMax,
    onConnection(socket) {
      const { remoteAddress: address = '' } = socket
      const admission = gate.admit(address)
      if (admission === null) return void socket.destroy()
      socket.once('close', () => admission.end())
      accept({ stream: socket, visitor: { address, serverName: '' } })
    },
  })
}
