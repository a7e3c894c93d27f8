import { connect, type TLSSocket } from 'node:tls'

const connections = 20
const everyMs = 5

/** How long a page takes over connections that are open, asked for at a steady pace. */
export class OpenConnections implements Disposable {
  readonly #free: TLSSocket[] = []
  readonly #all: TLSSocket[] = []
  readonly #head: string

  private constructor(host: string) {
    this.#head = `GET / HTTP/1.1\r\nhost: ${host}\r\naccept-encoding: gzip\r\n\r\n`
  }

  static async open(port: number, host: string): Promise<OpenConnections> {
    const opened = new OpenConnections(host)
    for (let i = 0; i < connections; i++) {
      const to = { host: '127.0.0.1', port, servername: host, rejectUnauthorized: false }
      const socket = await new Promise<TLSSocket>((resolve) => {
        const connected = connect(to, () => resolve(connected))
      })
      opened.#free.push(socket)
      opened.#all.push(socket)
    }
    return opened
  }

  /** Of so many answers: the 99th of 100, in ms. */
  async p99(requests: number): Promise<number> {
    const took: number[] = []
    const waiting: Promise<void>[] = []
    for (let i = 0; i < requests; i++) {
      const pause = Bun.sleep(everyMs)
      const socket = this.#free.shift()
      if (socket !== undefined) waiting.push(this.#ask(socket).then((ms) => void took.push(ms)))
      await pause
    }
    await Promise.all(waiting)
    if (took.length < requests * 0.9) throw new Error('most connections wait for an answer')
    return took.toSorted((a, b) => a - b)[Math.floor(took.length * 0.99)] ?? Number.NaN
  }

  async #ask(socket: TLSSocket): Promise<number> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const started = performance.now()
    let left = Number.NaN
    const read = (chunk: Buffer): void => {
      if (Number.isNaN(left)) {
        const head = chunk.indexOf('\r\n\r\n')
        const length = /content-length: (\d+)/i.exec(chunk.toString('latin1', 0, head))?.[1]
        left = head + 4 + Number(length)
      }
      left -= chunk.length
      if (left <= 0) resolve()
    }
    socket.on('data', read)
    socket.on('error', reject)
    socket.write(this.#head)
    await promise
    socket.off('data', read)
    socket.off('error', reject)
    this.#free.push(socket)
    return performance.now() - started
  }

  [Symbol.dispose](): void {
    for (const socket of this.#all) socket.destroy()
  }
}
