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
  const converse = (isKept: boolean): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const close = isKept ? '' : 'connection: close\r\n'
    const sent = `${request}\r\n${close}\r\n`
    let text = ''
    let isAwaited = true
    const send = (socket: Bun.Socket): void => {
      isAwaited = true
      text = ''
      socket.write(sent)
    }
    const fail = (reason: string): void => {
      if (isAwaited) lost.push(reason)
      isAwaited = false
    }
    // A third of the processor time of `node:net`, of which the servers have more use.
    Bun.connect({
      ...{ hostname: '127.0.0.1', port },
      socket: {
        open: send,
        data(socket, chunk) {
          text += chunk.toString('latin1')
          if (!text.endsWith(end)) return
          if (text.startsWith('HTTP/1.1 200 ')) answered++
          else lost.push(text.slice(0, 20))
          isAwaited = false
          if (!isKept || isStopped || /\r\nconnection: close\r\n/i.test(text)) socket.end()
          else setTimeout(() => socket.readyState > 0 && send(socket), pauseMs)
        },
        error: (_, { code }: NodeJS.ErrnoException) => fail(String(code)),
        close() {
          fail('closed without an answer')
          resolve()
        },
      },
    }).catch(({ code }: NodeJS.ErrnoException) => {
      fail(String(code))
      resolve()
    })
    return promise
  }
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
