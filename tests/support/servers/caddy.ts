import { join } from 'node:path'
import { eventually } from '#tests/support/eventually.ts'
import { programPath } from '#tests/support/require.ts'

/** Caddy as `deploy/Caddyfile` has it. */
export interface Caddy extends AsyncDisposable {
  /** One GET by https, on a connection of its own; rejects when there is none. */
  visit(host: string, path?: string, headers?: Record<string, string>): Promise<Response>
  /** By http. */
  visitPlain(host: string, path?: string): Promise<Response>
  /** Ends it; its certificates stay in the folder. */
  stop(): Promise<void>
}

interface CaddyOptions {
  /** Where its certificates are kept. */
  readonly dir: string
  readonly httpPort: number
  readonly httpsPort: number
  /** What its visitors trust, PEM. */
  readonly root: string
  /** The variables of the Caddyfile. */
  readonly environment: Readonly<Record<string, string>>
}

export const caddyProgram = programPath('caddy')

/** An order takes a second or two. */
const visitMsMax = 15_000
const logChars = 4_000

const caddyfile = join(import.meta.dir, '../../../deploy/Caddyfile')

export async function startCaddy(options: CaddyOptions): Promise<Caddy> {
  const { dir, httpPort, httpsPort, root, environment } = options
  const logFile = `${dir}.log`
  const child = Bun.spawn({
    cmd: [caddyProgram ?? 'caddy', 'run', '--config', caddyfile, '--adapter', 'caddyfile'],
    env: {
      ...{ HOME: dir, XDG_DATA_HOME: dir, XDG_CONFIG_HOME: dir, CADDY_ADMIN: 'off' },
      ...{ HTTP_PORT: String(httpPort), HTTPS_PORT: String(httpsPort) },
      ...environment,
    },
    stdout: 'ignore',
    stderr: Bun.file(logFile),
  })
  const failed = async (what: string): Promise<Error> =>
    new Error(`${what}; caddy's last words:\n${(await Bun.file(logFile).text()).slice(-logChars)}`)
  const plain = (host: string, path = '/') =>
    fetch(`http://127.0.0.1:${httpPort}${path}`, {
      headers: { host },
      redirect: 'manual',
      keepalive: false,
    })
  await eventually(async () => {
    if (child.exitCode !== null) throw await failed('caddy has ended')
    await plain('any.example')
  })
  const stop = async (): Promise<void> => {
    child.kill()
    await child.exited
  }
  return {
    visit: async (host, path = '/', headers = {}) => {
      const signal = AbortSignal.timeout(visitMsMax)
      try {
        return await fetch(`https://127.0.0.1:${httpsPort}${path}`, {
          headers: { host, ...headers },
          tls: { ca: root, serverName: host },
          redirect: 'manual',
          keepalive: false,
          signal,
        })
      } catch (error) {
        if (signal.aborted) throw await failed(`${host}: no answer in ${visitMsMax} ms`)
        throw error
      }
    },
    visitPlain: plain,
    stop,
    [Symbol.asyncDispose]: stop,
  }
}
