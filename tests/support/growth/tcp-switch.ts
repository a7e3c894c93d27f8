import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

interface Pair {
  readonly near: Socket
  readonly far: Socket
}

/** A cable between a client and a server that a test cuts, mends, and plugs into another server. */
export class TcpSwitch implements AsyncDisposable {
  readonly #server: Server
  readonly #pairs = new Set<Pair>()
  #target: number
  #state: 'open' | 'cut' | 'refusing' = 'open'
  /** Connections that were tried while it was cut, or the server away. */
  tried = 0

  static async to(target: number): Promise<TcpSwitch> {
    const one = new TcpSwitch(target)
    one.#server.listen(0, '127.0.0.1')
    await once(one.#server, 'listening')
    return one
  }

  private constructor(target: number) {
    this.#target = target
    // A client that is cut off cannot know what becomes of its connection.
    this.#server = createServer({ pauseOnConnect: true, allowHalfOpen: true }, (near) => {
      if (this.#state !== 'open') this.tried++
      if (this.#state === 'refusing') near.resetAndDestroy()
      else this.#join(near)
    })
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  /** From now on nothing passes, in either direction, and nobody is told; new connections are as silent. */
  cut(): void {
    this.#state = 'cut'
    this.tried = 0
    for (const { near, far } of this.#pairs) {
      near.unpipe(far).pause()
      far.unpipe(near).pause()
    }
  }

  /** What was sent meanwhile arrives now, late, as TCP has it. */
  mend(): void {
    this.#state = 'open'
    for (const pair of this.#pairs) flow(pair)
  }

  /** The server is away: connections are reset. Until `mend`. */
  refuse(): void {
    this.#state = 'refusing'
    this.tried = 0
    this.#endAll()
  }

  /** Plugs it into another server: connections to the one before end. */
  retarget(target: number): void {
    this.#target = target
    this.#endAll()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#endAll()
    this.#server.close()
    if (this.#server.listening) await once(this.#server, 'close')
  }

  #join(near: Socket): void {
    const far = connect({ port: this.#target, host: '127.0.0.1', allowHalfOpen: true })
    const pair = { near, far }
    this.#pairs.add(pair)
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      one.setNoDelay()
      one.on('error', () => other.destroy())
      one.on('close', () => {
        this.#pairs.delete(pair)
        if (this.#state !== 'cut') other.destroy()
      })
    }
    if (this.#state === 'open') flow(pair)
  }

  #endAll(): void {
    for (const { near, far } of this.#pairs) {
      near.resetAndDestroy()
      far.destroy()
    }
    this.#pairs.clear()
  }
}

function flow({ near, far }: Pair): void {
  near.pipe(far)
  far.pipe(near)
}
