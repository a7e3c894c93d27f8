import type { ConnectionGate, GateLimits } from './connection-gate.ts'
import type { AcceptConnection, ConnectionHandler } from './secure-connection.ts'

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

export interface PlainListener extends Disposable {
  readonly port: number
}

/** Accepts a bounded number of connections without TLS, each for a bounded time. Throws the system's error if it cannot listen. */
export function listenPlain(options: PlainListenerOptions): PlainListener {
  const { accept, connectionMsMax = defaultConnectionMsMax, gate, host, port } = options
  const listener = Bun.listen<PlainConnection | undefined>({
    hostname: host,
    port,
    allowHalfOpen: true,
    socket: {
      open(socket) {
        const address = socket.remoteAddress as string | undefined
        // The client has reset the connection.
        if (address === undefined) return void socket.terminate()
        const admission = gate.admit(address)
        if (admission === null) return void socket.terminate()
        const deadline = setTimeout(() => socket.terminate(), connectionMsMax)
        const handler = accept({ socket, visitor: { address, serverName: '' }, isHttp2: false })
        const end = (): void => {
          clearTimeout(deadline)
          admission.end()
        }
        socket.data = { handler, end }
      },
      data: (socket, bytes) => socket.data?.handler.data(bytes),
      drain: (socket) => socket.data?.handler.drain(),
      end: (socket) => socket.data?.handler.end(),
      close({ data: connection }) {
        connection?.end()
        connection?.handler.close()
      },
      error: (socket) => void socket.terminate(),
    },
  })
  return {
    port: listener.port,
    [Symbol.dispose]: () => listener.stop(true),
  }
}

interface PlainConnection {
  readonly handler: ConnectionHandler
  readonly end: () => void
}
