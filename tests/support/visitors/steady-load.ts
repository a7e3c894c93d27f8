import { connect } from 'node:net'

interface LoadOptions {
  readonly port: number
  /** One after the other, each by as many clients as are given. */
  readonly request: string
  /** How an answer ends. */
  readonly end: string
  /** Clients with a connection for each request, and clients that keep theirs. */
  readonly clients: { readonly fresh: number; readonly kept: number }
  readonly pauseMs: number
}

export interface SteadyLoad {
  /** Answers so far. */
  readonly answered: number
  /** What happened to requests without a whole answer. */
  readonly lost: readonly string[]
  /** Resolves when the last request has ended. */
  stop(): Promise<void>
}

/** Sends requests until it is stopped. A request on a connection that its server has closed is lost, however old that one was. */
export function steadyLoad({ clients, end, pauseMs, port, request }: LoadOptions): SteadyLoad {
  let isStopped = false
  let answered = 0
  const lost: string[] = []
  /** One connection, until it or the load ends. */
  const converse = (isKept: boolean): Promise<void> =>
    new Promise((resolve) => {
      let text = ''
      let isAwaited = false
      const close = isKept ? '' : 'connection: close\r\n'
      const socket = connect(port, '127.0.0.1')
      const send = (): void => {
        isAwaited = true
        text = ''
        socket.write(`${request}\r\n${close}\r\n`)
      }
      socket.on('connect', send)
      socket.on('data', (chunk) => {
        text += chunk.toString('latin1')
        if (!text.endsWith(end)) return
        if (/^HTTP\/1\.1 200 /.test(text)) answered++
        else lost.push(text.slice(0, 20))
        isAwaited = false
        if (!isKept || isStopped || /\r\nconnection: close\r\n/i.test(text)) socket.end()
        else setTimeout(() => !socket.destroyed && send(), pauseMs)
      })
      socket.on('error', (error: NodeJS.ErrnoException) => {
        if (isAwaited || text === '') lost.push(String(error.code))
        isAwaited = false
      })
      socket.on('close', () => {
        if (isAwaited) lost.push('closed without an answer')
        resolve()
      })
    })
  const client = async (isKept: boolean): Promise<void> => {
    while (!isStopped) {
      await converse(isKept)
      await Bun.sleep(pauseMs)
    }
  }
  const all = [
    ...Array.from({ length: clients.fresh }, () => client(false)),
    ...Array.from({ length: clients.kept }, () => client(true)),
  ]
  return {
    get answered() {
      return answered
    },
    lost,
    async stop() {
      isStopped = true
      await Promise.all(all)
    },
  }
}
