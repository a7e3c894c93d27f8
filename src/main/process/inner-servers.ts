import type { Answer } from '#edge/dispatch.ts'
import { Http1Pipe } from '#edge/tls/http1-pipe.ts'
import { Http2Pipe } from '#edge/tls/http2-pipe.ts'
import { answerPiped } from '#edge/tls/piped-requests.ts'
import type { AcceptConnection } from '#edge/tls/secure-connection.ts'
import type { TrustedProxies } from '#http/client-address.ts'
import type { Log } from '#observe/log.ts'
import { rateLimitedLog } from '#observe/rate-limited-log.ts'
import type { ChangeFetch, Stoppable } from './drain.ts'
import { listen, listenHttp2Inside } from './listen.ts'

interface InnerServersOptions {
  readonly answer: Answer
  readonly hstsSeconds: number
  readonly altSvcOf?: (host: string) => string | null
  readonly trustedProxies: TrustedProxies
  readonly log: Log
}

/** Two inner servers, one for each protocol. They answer what comes on connections that are passed to `accept`. */
export class InnerServers {
  readonly #http1: Http1Pipe
  readonly #http2: Http2Pipe
  readonly #fetch: ReturnType<typeof answerPiped>
  readonly #fetchHttp2: ReturnType<typeof answerPiped>

  constructor({ log, trustedProxies, ...options }: InnerServersOptions) {
    const limited = rateLimitedLog(log)
    const onConnectFailed = (error: unknown): void =>
      limited.warn('visitor disconnected: inner server not reached', { error })
    this.#http1 = new Http1Pipe(null, onConnectFailed)
    this.#http2 = new Http2Pipe({ onConnectFailed, trustedProxies })
    this.#fetch = answerPiped({ ...options, pipe: this.#http1 })
    this.#fetchHttp2 = answerPiped({ ...options, pipe: this.#http2 })
  }

  /** Ends connections while no servers listen. */
  readonly accept: AcceptConnection = (connection) =>
    (connection.isHttp2 ? this.#http2 : this.#http1).accept(connection)

  /**
   * Leads new connections to new servers. `pendingRequests` and `stop` of what it returns are those of both. Throws ConfigError if they
   * cannot listen.
   */
  listen(change: ChangeFetch): Stoppable {
    const [http1, http2] = [this.#http1, this.#http2]
    using started = new DisposableStack()
    const { address, server: ofHttp2 } = listenHttp2Inside(change(this.#fetchHttp2))
    started.defer(() => void ofHttp2.stop(true))
    const at = { host: '127.0.0.1', port: 0, setting: 'TLS_LISTEN' } as const
    const ofHttp1 = listen({ ...at, fetch: change(this.#fetch) })
    started.move()
    http1.leadTo(ofHttp1.port ?? 0)
    http2.leadTo(address)
    return {
      get pendingRequests() {
        return ofHttp1.pendingRequests + ofHttp2.pendingRequests
      },
      async stop(closes) {
        // Somebody else on this machine may listen there from now on.
        http1.leadTo(null)
        http2.leadTo(null)
        await Promise.all([ofHttp1.stop(closes), ofHttp2.stop(closes)])
      },
    }
  }
}
