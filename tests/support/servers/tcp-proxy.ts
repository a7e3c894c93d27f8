interface TcpProxy extends Disposable {
  /** The upstream's, with the proxy's address. */
  readonly url: string
  /** From now on the connections that there are carry nothing, and nobody is told; new ones work. */
  breakSilently(): void
}

interface Ends {
  readonly near: Bun.Socket<Ends | undefined>
  readonly far: Promise<Bun.Socket<undefined>>
  isBroken: boolean
}

/** Forwards connections to the server of a URL. For a few small messages: it knows no backpressure. `isBroken`: the next one ends at once. */
export function tcpProxy(
  upstream: URL,
  { isBroken = () => false }: { readonly isBroken?: () => boolean } = {},
): TcpProxy {
  const connections = new Set<Ends>()
  const connect = (near: Ends['near']): Ends => {
    const ends: Ends = {
      near,
      isBroken: false,
      far: Bun.connect({
        hostname: upstream.hostname,
        port: Number(upstream.port || 5432),
        socket: {
          data: (_, data) => void (ends.isBroken || near.write(data)),
          close: () => void (ends.isBroken || near.end()),
          error: () => undefined,
        },
      }),
    }
    connections.add(ends)
    return ends
  }
  const listener = Bun.listen<Ends | undefined>({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      open: (near) => {
        if (isBroken()) near.terminate()
        else near.data = connect(near)
      },
      data: async ({ data: ends }, data) => {
        const copy = Buffer.from(data)
        if (ends && !ends.isBroken) (await ends.far).write(copy)
      },
      close: async ({ data: ends }) => {
        if (ends) connections.delete(ends)
        ;(await ends?.far)?.end()
      },
      error: () => undefined,
    },
  })
  const url = new URL(upstream)
  url.host = `127.0.0.1:${listener.port}`
  return {
    url: url.href,
    breakSilently: () => {
      for (const ends of connections) ends.isBroken = true
    },
    [Symbol.dispose]: () => listener.stop(true),
  }
}
