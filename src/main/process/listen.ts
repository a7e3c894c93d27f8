import { randomUUID } from 'node:crypto'
import { isIP } from 'node:net'
import type { InnerAddress } from '#edge/tls/pipe-to.ts'
import { UnusableError } from '#main/config/config.ts'
import { codeOf } from '#observe/code-of.ts'
import { connectionIdleSeconds } from '#site/limits.ts'
import type { Fetch } from './drain.ts'

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
  readonly fetch: Fetch
}

/** What every server of ours has. */
const serverDefaults = {
  idleTimeout: connectionIdleSeconds,
  // Development mode shows clients pieces of our code when a request fails (Bun 1.4.5).
  development: false,
  // Every route has its own limit and names it in its answer.
  maxRequestBodySize: Number.MAX_SAFE_INTEGER,
} as const

/** Starts to answer requests. Throws ConfigError when it cannot listen, with the reason and the setting to change. */
export function listen(options: ListenOptions): Bun.Server<undefined> {
  const { fetch, host, isShared = false, port, setting } = options
  try {
    return Bun.serve({
      ...serverDefaults,
      hostname: host,
      port,
      // Without development, Bun lets another process listen on the same port (Bun 1.4.5).
      reusePort: isShared,
      fetch,
    })
  } catch (error) {
    throw listenError(error, { host, port, setting })
  }
}

/**
 * Serves HTTP/2 without TLS to this process: on an abstract Unix socket on Linux, elsewhere on a free port of loopback. Any local process can connect, so the
 * caller must reject requests that did not come through its pipe. Throws ConfigError when it cannot listen.
 */
export function listenHttp2Inside(
  fetch: Fetch,
  platform: NodeJS.Platform = process.platform,
): { readonly server: Bun.Server<undefined>; readonly address: InnerAddress } {
  const options = { ...serverDefaults, fetch, http1: false, http2: true } as const
  try {
    if (platform === 'linux') {
      const unix = `\0sitehost-${randomUUID()}`
      // Bun's types reject `http1` and `http2` with `unix`; the server accepts them (Bun 1.4.5).
      const server = Bun.serve({ ...options, unix } as unknown as Bun.Serve.Options<undefined>)
      return { server, address: { unix } }
    }
    const hostname = '127.0.0.1'
    const server = Bun.serve({ ...options, hostname, port: 0, reusePort: false })
    return { server, address: { hostname, port: server.port ?? 0 } }
  } catch (error) {
    const sandbox = platform === 'linux' ? ', and Unix sockets (AF_UNIX) in its sandbox' : ''
    const sentence = `TLS: the process cannot open its own socket for HTTP/2: allow it more open files${sandbox}`
    throw new UnusableError(sentence, { cause: error })
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
      ...serverDefaults,
      ...{ fetch, port, tls },
      hostname: host,
      http1: false,
      http3: true,
      reusePort: false,
    })
  } catch (error) {
    // Bun does not say why (Bun 1.4.5).
    const sentence = `HTTP3: UDP port ${port} of ${host} is in use or not permitted: stop what uses it, or turn HTTP3 off`
    throw new UnusableError(sentence, { cause: error })
  }
}

/** The UnusableError for an error of the system, or for a name that cannot be listened at; any other error as it is. */
export function listenError(
  error: unknown,
  at: Pick<ListenOptions, 'host' | 'port' | 'setting'>,
): unknown {
  const code = codeOf(error)
  if (code === undefined && !isName(at.host)) return error
  return new UnusableError(listenSentence(at, code), { cause: error })
}

const isName = (host: string): boolean => isIP(host) === 0 && host !== 'localhost'

/** What others reach at a port that a standard sets. */
const publicSettings: ReadonlySet<ListenSetting> = new Set([
  'ACME_DNS_LISTEN',
  'HTTP_LISTEN',
  'TLS_LISTEN',
])

function listenSentence(
  { host, port, setting }: Pick<ListenOptions, 'host' | 'port' | 'setting'>,
  code: string | undefined,
): string {
  const name = setting === '--port' ? 'HOST' : setting
  // Where a name is not found, the code is one that the resolver left behind (https://github.com/oven-sh/bun/pull/37690).
  if (isName(host)) {
    return `${name}: ${host} leads to no address of this machine, or port ${port} is not free there`
  }
  if (code === 'EADDRINUSE') {
    return `port ${port} is in use: stop what uses it, or choose another with ${setting}`
  }
  if (code === 'EACCES' || code === 'EPERM') {
    if (publicSettings.has(setting)) {
      return `port ${port} is only for root here: give the service the capability to listen there (deploy/sitehost-tls.conf), or choose a port from 1024 on with ${setting}`
    }
    return `port ${port} is only for root here: choose one from 1024 on with ${setting}`
  }
  return `${name}: ${host} is not an address of this machine (${code})`
}
