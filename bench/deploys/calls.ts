import { join } from 'node:path'
import type { Devnet } from '../../devnet/start.ts'

export const logFile = 'pds.log'

/** The calls that the account's server has answered, by method: what it writes to its log. */
export class Calls {
  readonly #network: Devnet
  readonly #log: string
  #read = 0

  constructor(network: Devnet, dir: string) {
    this.#network = network
    this.#log = join(dir, logFile)
  }

  /** Since the last time. */
  async take(): Promise<ReadonlyMap<string, number>> {
    const marker = crypto.randomUUID()
    // The server writes its log a little later: our own call comes after all those before it.
    await (await fetch(`${this.#network.pds}/xrpc/_health?marker=${marker}`)).arrayBuffer()
    for (;;) {
      const text = await Bun.file(this.#log).slice(this.#read).text()
      const end = text.indexOf(marker)
      if (end < 0) {
        await Bun.sleep(20)
        continue
      }
      this.#read += Buffer.byteLength(text.slice(0, end + marker.length))
      const calls = new Map<string, number>()
      for (const [, method = ''] of text.slice(0, end).matchAll(/"url":"\/xrpc\/([\w.]+)/g)) {
        if (method !== '_health') calls.set(method, (calls.get(method) ?? 0) + 1)
      }
      return calls
    }
  }
}

/** `uploadBlob 1, applyWrites 1`: by number. */
export const listed = (calls: ReadonlyMap<string, number>): string =>
  [...calls]
    .toSorted(([, a], [, b]) => b - a)
    .map(([method, count]) => `${method.slice(method.lastIndexOf('.') + 1)} ${count}`)
    .join(', ')
