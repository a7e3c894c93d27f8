import { certificateNamesOf } from '#certificates/certificate.ts'
import { repeatEvery } from '#concurrency/every-or-when-woken.ts'
import { onAbort } from '#concurrency/or-aborted.ts'
import type { Answer } from '#edge/dispatch.ts'
import { answerHttp3, type Http3End } from '#edge/http3/answer-http3.ts'
import type { ListenAddress } from '#main/config/setting-kinds.ts'
import type { Log } from '#observe/log.ts'
import { connectionIdleSeconds } from '#site/limits.ts'
import type { FixedCertificates } from './fixed-certificates.ts'
import { listenHttp3 } from './listen.ts'

const pollMs = 20
const lookEveryMs = 30_000
/** How long requests in progress may take when certificates are renewed. Meanwhile new visitors come by TCP. */
const renewalMsMax = 30_000

interface Http3Options {
  readonly listen: ListenAddress
  readonly certificates: FixedCertificates
  readonly answer: Answer
  readonly hstsSeconds: number
  readonly onRequest: (end: Http3End) => void
  readonly log: Log
}

/**
 * HTTP/3 for the fixed names, at the UDP port of the same number as that of TLS. A server in Bun takes its certificates only when it starts
 * (Bun 1.4.5), so it is replaced when one is renewed.
 */
export class Http3 implements AsyncDisposable {
  readonly #options: Http3Options
  readonly #fetch: Parameters<typeof listenHttp3>[0]['fetch']
  #server: Bun.Server<undefined> | null = null
  #names: ReadonlySet<string> = new Set()
  /** What `#server` has. */
  #version = ''

  constructor(options: Http3Options) {
    this.#options = options
    const { answer, hstsSeconds, onRequest } = options
    this.#fetch = answerHttp3({
      ...{ answer, hstsSeconds, onRequest },
      covers: (host) => this.#covers(host),
      stallMsMax: connectionIdleSeconds * 1000,
    })
  }

  /** The `Alt-Svc` of answers over TCP for a host; null: it is not here. */
  readonly alternative = (host: string): string | null =>
    this.#server !== null && this.#covers(host) ? `h3=":${this.#options.listen.port}"` : null

  /** Listens, with the certificates that there are; takes new and renewed ones until the signal. */
  async run(signal: AbortSignal): Promise<void> {
    const { certificates, log } = this.#options
    const rhythm = { everyMs: lookEveryMs, failure: 'HTTP/3 not listening' }
    const wakeUp = certificates.changes
    await repeatEvery(rhythm, () => this.renew(signal), { log, signal, wakeUp })
  }

  /** Replaces the server if its certificates are not the current ones. Throws ConfigError if it cannot listen. */
  async renew(signal: AbortSignal): Promise<void> {
    const { certificates, listen, log } = this.#options
    const places = certificates.places()
    const version = JSON.stringify(places)
    if (version === this.#version) return
    const tls: Bun.TLSOptions[] = []
    for (const place of places) {
      const certificate = await certificates.read(place)
      if (certificate === null) return
      const { chain: cert, key } = certificate
      tls.push({ serverName: place.name, cert, key })
    }
    await this.#stop(AbortSignal.any([signal, AbortSignal.timeout(renewalMsMax)]))
    if (signal.aborted || tls.length === 0) return
    this.#server = listenHttp3({ ...listen, fetch: this.#fetch, tls })
    this.#names = new Set(places.map(({ name }) => name))
    this.#version = version
    log.info('HTTP/3 listening', { port: listen.port, names: [...this.#names].join(' ') })
  }

  /** Stops when all requests in progress are answered, at the latest when the signal is aborted. */
  async drain(over: AbortSignal): Promise<void> {
    await this.#stop(over)
  }

  async #stop(over: AbortSignal): Promise<void> {
    const server = this.#server
    this.#server = null
    this.#version = ''
    if (server === null) return
    void server.stop()
    using _ = onAbort(over, () => void server.stop(true))
    // The promises of `stop` do not wait for bodies that are still being sent (Bun 1.4.5); the port is free when the last byte is.
    const { host: hostname, port } = this.#options.listen
    while (!over.aborted && !(await isFree({ hostname, port }))) await Bun.sleep(pollMs)
  }

  #covers(host: string): boolean {
    return certificateNamesOf(host).some((name) => this.#names.has(name))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server?.stop(true)
    this.#server = null
  }
}

async function isFree(at: { readonly hostname: string; readonly port: number }): Promise<boolean> {
  try {
    const socket = await Bun.udpSocket(at)
    socket.close()
    return true
  } catch {
    return false
  }
}
