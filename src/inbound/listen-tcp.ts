import {
  type AddressInfo,
  createServer,
  type ListenOptions,
  type Server,
  type Socket,
} from 'node:net'
import { clientNetwork } from '#http/client-address.ts'

interface TcpListenerOptions {
  readonly host: string
  /** 0: a free one. */
  readonly port: number
  /** How long a connection may be open, whatever comes on it. */
  readonly connectionMsMax: number
  /** More are closed at once; without it nothing bounds them here. */
  readonly connectionsMax?: number
  /** Of one client's network; more are closed at once. */
  readonly connectionsPerNetworkMax?: number
  /** A socket with an error is closed without it. */
  readonly onConnection: (socket: Socket) => void
}

/** Closes all connections when it is disposed of. */
export interface TcpListener extends AsyncDisposable {
  readonly port: number
}

/** Accepts connections, each for a bounded time. Rejects with the system's error if it cannot listen. */
export async function listenTcp(options: TcpListenerOptions): Promise<TcpListener> {
  const { connectionMsMax, connectionsMax, host, onConnection, port } = options
  const { connectionsPerNetworkMax = Number.POSITIVE_INFINITY } = options
  /** And the networks that they come from. */
  const open = new Map<Socket, string>()
  const server = createServer((socket) => {
    const network = clientNetwork(socket.remoteAddress ?? '', 64)
    const ofNetwork = open.values().filter((each) => each === network)
    if (ofNetwork.reduce((count) => count + 1, 0) >= connectionsPerNetworkMax) {
      return void socket.destroy()
    }
    open.set(socket, network)
    const deadline = setTimeout(() => socket.destroy(), connectionMsMax)
    socket.on('error', () => socket.destroy())
    socket.once('close', () => {
      clearTimeout(deadline)
      open.delete(socket)
    })
    onConnection(socket)
  })
  if (connectionsMax !== undefined) server.maxConnections = connectionsMax
  await startListening(server, { host, port })
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      for (const socket of open.keys()) socket.destroy()
      server.close()
    },
  }
}

/** Rejects with the system's error if the server cannot listen there. */
export function startListening(server: Server, at: ListenOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(at, resolve)
  })
}
