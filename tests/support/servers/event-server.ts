// What the servers of a firehose have in common: a log that is replayed to whoever connects, and goes on.

/** A frame of the log, under its number. Frames without one are sent once, and not kept. */
export interface LoggedFrame {
  readonly number: number
  readonly frame: string | Uint8Array
  /** Left out for connections that did not ask for it. */
  readonly collection?: string | undefined
}

export interface EventServer extends AsyncDisposable {
  /** Address for FIREHOSE_URL. */
  readonly url: string
  /** The query of every connection so far, oldest first. */
  readonly connections: readonly URLSearchParams[]
  /** Ends every connection when it has been sent this many frames; Infinity in the beginning. */
  framesMax: number
  /** How many are connected now. */
  readonly openCount: number
  /** What those who are connected have not taken from us yet. */
  readonly heldBytes: number
  emit(...frames: readonly LoggedFrame[]): void
  /** Sends this to those who are connected, and keeps nothing. */
  send(frame: string | Uint8Array): void
  /** Loses what is before this number, as servers do after some days. */
  forgetBefore(number: number): void
  /** Loses everything, the connections too. */
  startAnew(): void
  /** Loses the connections, as a network does: with what is on its way. */
  drop(): void
}

interface EventServerOptions {
  readonly path: string
  /** Which frames of the log a connection with this query is sent first, and what comes before them. */
  readonly replay: (query: URLSearchParams, log: readonly LoggedFrame[]) => Replay
}

export interface Replay {
  readonly frames: readonly (string | Uint8Array)[]
  /** The server ends the connection after that. */
  readonly isRefused?: boolean
}

interface Visitor {
  readonly query: URLSearchParams
  sent: number
}

export function startEventServer({ path, replay }: EventServerOptions): EventServer {
  const log: LoggedFrame[] = []
  const connections: URLSearchParams[] = []
  const sockets = new Set<Bun.ServerWebSocket<Visitor>>()

  function sendTo(socket: Bun.ServerWebSocket<Visitor>, frame: string | Uint8Array): void {
    if (!sockets.has(socket)) return
    socket.send(frame)
    socket.data.sent += 1
    if (socket.data.sent >= server.framesMax) end(socket)
  }

  /** What was sent arrives. */
  function end(socket: Bun.ServerWebSocket<Visitor>): void {
    sockets.delete(socket)
    socket.close(1011)
  }

  const listener = Bun.serve<Visitor>({
    port: 0,
    hostname: '127.0.0.1',
    fetch(request, self) {
      const { pathname, searchParams: query } = new URL(request.url)
      if (pathname !== path) return new Response('', { status: 404 })
      connections.push(query)
      if (!self.upgrade(request, { data: { query, sent: 0 } }))
        return new Response('', { status: 426 })
      return undefined
    },
    websocket: {
      backpressureLimit: 1024 * 1024 * 1024,
      message: () => undefined,
      open(socket) {
        sockets.add(socket)
        const { frames, isRefused = false } = replay(socket.data.query, log)
        for (const frame of frames) sendTo(socket, frame)
        if (isRefused) end(socket)
      },
      close: (socket) => void sockets.delete(socket),
    },
  })

  const server: EventServer = {
    url: `ws://127.0.0.1:${listener.port}${path}`,
    connections,
    framesMax: Number.POSITIVE_INFINITY,
    get openCount() {
      return sockets.size
    },
    get heldBytes() {
      return [...sockets].reduce((sum, socket) => sum + socket.getBufferedAmount(), 0)
    },
    emit(...frames) {
      for (const logged of frames) {
        log.push(logged)
        for (const socket of [...sockets]) {
          if (isWanted(logged, socket.data.query)) sendTo(socket, logged.frame)
        }
      }
    },
    send(frame) {
      for (const socket of [...sockets]) sendTo(socket, frame)
    },
    forgetBefore(number) {
      log.splice(0, log.length, ...log.filter((logged) => logged.number >= number))
    },
    startAnew() {
      log.length = 0
      server.drop()
    },
    drop() {
      for (const socket of [...sockets]) {
        sockets.delete(socket)
        socket.terminate()
      }
    },
    async [Symbol.asyncDispose]() {
      await listener.stop(true)
    },
  }
  return server
}

export function isWanted({ collection }: LoggedFrame, query: URLSearchParams): boolean {
  const wanted = query.getAll('wantedCollections')
  return collection === undefined || wanted.length === 0 || wanted.includes(collection)
}
