import { ConfigError } from './config.ts'

const idleTimeoutSeconds = 60

interface ListenOptions {
  readonly host: string
  /** 0: any free one. */
  readonly port: number
  readonly fetch: (request: Request, server: Bun.Server<undefined>) => Response | Promise<Response>
}

/** Answers requests from now on. Throws ConfigError when the port is taken. */
export function listen({ host, port, fetch }: ListenOptions): Bun.Server<undefined> {
  try {
    return Bun.serve({
      hostname: host,
      port,
      idleTimeout: idleTimeoutSeconds,
      // Else whoever meets a failure is shown pieces of our code (Bun 1.4.5).
      development: false,
      // Without development, Bun lets another process listen beside us (Bun 1.4.5).
      reusePort: false,
      // Every route has its own limit, and an answer that says what it is.
      maxRequestBodySize: Number.MAX_SAFE_INTEGER,
      fetch,
    })
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')) throw error
    throw new ConfigError(
      `port ${port} is in use: stop what uses it, or choose another with --port`,
    )
  }
}
