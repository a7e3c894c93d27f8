import { UnusableError } from '#main/config/config.ts'
import { codeOf } from '#observe/code-of.ts'
import { connectionIdleSeconds } from '#site/limits.ts'

/** The setting that chooses a port. */
export type ListenSetting =
  | '--port'
  | 'ACME_DNS_LISTEN'
  | 'ASK_LISTEN'
  | 'HTTP_LISTEN'
  | 'INTERNAL_LISTEN'
  | 'METRICS_LISTEN'
  | 'TLS_LISTEN'

interface ListenOptions {
  readonly host: string
  /** 0: any free port. */
  readonly port: number
  readonly setting: ListenSetting
  /** Whether other processes of this instance listen at the same address; each gets its share of the connections. */
  readonly isShared?: boolean
  readonly fetch: (request: Request, server: Bun.Server<undefined>) => Response | Promise<Response>
  /** Over plain connections whose client begins with its preface. */
  readonly http2?: boolean
}

/** Starts to answer requests. Throws ConfigError when it cannot listen, with the reason and the setting to change. */
export function listen(options: ListenOptions): Bun.Server<undefined> {
  const { fetch, host, http2 = false, isShared = false, port, setting } = options
  try {
    return Bun.serve({
      hostname: host,
      port,
      idleTimeout: connectionIdleSeconds,
      // Development mode shows clients pieces of our code when a request fails (Bun 1.4.5).
      development: false,
      // Without development, Bun lets another process listen on the same port (Bun 1.4.5).
      reusePort: isShared,
      // Every route has its own limit and names it in its answer.
      maxRequestBodySize: Number.MAX_SAFE_INTEGER,
      fetch,
      http2,
    })
  } catch (error) {
    throw listenError(error, { host, port, setting })
  }
}

interface Http3ListenOptions extends Pick<ListenOptions, 'fetch' | 'host' | 'port'> {
  /** The first one is shown to clients that name none of them. */
  readonly tls: Bun.TLSOptions[]
}

/** Starts to answer requests over HTTP/3, and no others. Throws ConfigError when it cannot listen. */
export function listenHttp3({ fetch, host, port, tls }: Http3ListenOptions): Bun.Server<undefined> {
  try {
    return Bun.serve({
      ...{ fetch, port, tls },
      hostname: host,
      http1: false,
      http3: true,
      idleTimeout: connectionIdleSeconds,
      development: false,
      reusePort: false,
      maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    })
  } catch (error) {
    // Bun does not say why (Bun 1.4.5).
    const sentence = `HTTP3: UDP port ${port} of ${host} is in use or not permitted: stop what uses it, or turn HTTP3 off`
    throw new UnusableError(sentence, { cause: error })
  }
}

/** The UnusableError for an error of the system; any other error as it is. */
export function listenError(
  error: unknown,
  at: Pick<ListenOptions, 'host' | 'port' | 'setting'>,
): unknown {
  const code = codeOf(error)
  if (code === undefined) return error
  return new UnusableError(listenSentence(at, code), { cause: error })
}

/** What others reach at a port that a standard sets. */
const publicSettings: ReadonlySet<ListenSetting> = new Set([
  'ACME_DNS_LISTEN',
  'HTTP_LISTEN',
  'TLS_LISTEN',
])

function listenSentence(
  { host, port, setting }: Pick<ListenOptions, 'host' | 'port' | 'setting'>,
  code: string,
): string {
  if (code === 'EADDRINUSE') {
    return `port ${port} is in use: stop what uses it, or choose another with ${setting}`
  }
  if (code === 'EACCES' || code === 'EPERM') {
    if (publicSettings.has(setting)) {
      return `port ${port} is only for root here: give the service the capability to listen there (deploy/sitehost-tls.conf), or choose a port from 1024 on with ${setting}`
    }
    return `port ${port} is only for root here: choose one from 1024 on with ${setting}`
  }
  const name = setting === '--port' ? 'HOST' : setting
  return `${name}: ${host} is not an address of this machine (${code})`
}
