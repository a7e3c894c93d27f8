import { Agent, request } from 'node:https'

const connections = 20
const everyMs = 5

/** How long a page takes over connections that are open, asked for at a steady pace: the 99th of 100 answers, in ms. */
export class OpenConnections implements Disposable {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: connections })
  readonly #to: { readonly port: number; readonly host: string }

  constructor(port: number, host: string) {
    this.#to = { port, host }
  }

  async p99(requests: number): Promise<number> {
    const took: number[] = []
    const waiting: Promise<void>[] = []
    for (let i = 0; i < requests; i++) {
      const pause = Bun.sleep(everyMs)
      waiting.push(this.#ask().then((ms) => void took.push(ms)))
      await pause
    }
    await Promise.all(waiting)
    return took.toSorted((a, b) => a - b)[Math.floor(requests * 0.99)] ?? Number.NaN
  }

  #ask(): Promise<number> {
    const { promise, resolve, reject } = Promise.withResolvers<number>()
    const { port, host } = this.#to
    const started = performance.now()
    const to = { host: '127.0.0.1', port, servername: host, headers: { host } }
    const asked = request({ ...to, agent: this.#agent, rejectUnauthorized: false }, (answer) => {
      answer.resume()
      answer.on('end', () => resolve(performance.now() - started))
    })
    asked.on('error', reject)
    asked.end()
    return promise
  }

  [Symbol.dispose](): void {
    this.#agent.destroy()
  }
}
