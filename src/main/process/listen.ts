import { ConfigError } from '#main/config/config.ts'
import { codeOf } from '#observe/code-of.ts'
import { connectionIdleSeconds } from '#site/limits.ts'

interface ListenOptions {
  readonly host: string
  /** 0: any free port. */
  readonly port: number
  /** The setting that chooses the port. */
  readonly setting: '--port' | 'ASK_LISTEN' | 'INTERNAL_LISTEN' | 'METRICS_LISTEN'
  readonly fetch: (request: Request, server: Bun.Server<undefined>) => Response | Promise<Response>
}

/** Starts to answer requests. Throws ConfigError when it cannot listen, with the reason and the setting to change. */
export function listen({ host, port, setting, fetch }: ListenOptions): Bun.Server<undefined> {
  try {
    return Bun.serve({
      hostname: host,
      port,
      idleTimeout: connectionIdleSeconds,
      // Development mode shows clients pieces of our code when a request fails (Bun 1.4.5).
      development: false,
      // Without development, Bun lets another process listen on the same port (Bun 1.4.5).
      reusePort: false,
      // Every route has its own limit and names it in its answer.
      maxRequestBodySize: Number.MAX_SAFE_INTEGER,
      fetch,
    })
  } catch (error) {
    const code = codeOf(error)
    if (code === undefined) throw error
    throw new ConfigError(listenSentence({ host, port, setting }, code), { cause: error })
  }
}

function listenSentence(
  { host, port, setting }: Pick<ListenOptions, 'host' | 'port' | 'setting'>,
  code: string,
): string {
  if (code === 'EADDRINUSE') {
    return `port ${port} is in use: stop what uses it, or choose another with ${setting}`
  }
  if (code === 'EACCES' || code === 'EPERM') {
    return `port ${port} is only for root here: choose one from 1024 on with ${setting}`
  }
  const name = setting === '--port' ? 'HOST' : setting
  return `${name}: ${host} is not an address of this machine (${code})`
}
