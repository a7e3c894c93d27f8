import { join } from 'node:path'
import { freePort } from '#main/process/free-port.ts'
import { eventually } from '#tests/support/eventually.ts'
import { startServiceProcess } from '#tests/support/processes/service-process.ts'
import { nginxConfig } from '#tests/support/servers/nginx.ts'
import { type Program, startProgram } from '#tests/support/servers/start-program.ts'

/** A server under test, on the one core that all of them have. */
export interface BenchServer extends AsyncDisposable {
  readonly name: 'sitehost' | 'bare Bun' | 'nginx' | 'caddy'
  readonly port: number
  /** The process that answers. */
  readonly pid: number
}

export interface Folders {
  readonly dataDir: string
  readonly wwwDir: string
  readonly workDir: string
}

export const serverCore = '0'
const loadCore = '1'

/** The command that runs on the core of the load. */
export const onLoadCore = (...command: string[]): string[] => [
  'taskset',
  '-c',
  loadCore,
  ...command,
]

/** A file that changes the service first, and the variables that it reads. */
interface Preload {
  readonly file: string
  readonly environment: Readonly<Record<string, string>>
}

/** Limits of a site's visitors that no load reaches; that they are counted is part of what an answer costs. */
export const unreachedShares = {
  SITE_REQUESTS_PER_SECOND_MAX: '1000000000',
  SITE_BYTES_PER_DAY_MAX: '1000000000000000',
  ACCOUNT_REQUESTS_PER_SECOND_MAX: '1000000000',
  ACCOUNT_BYTES_PER_DAY_MAX: '1000000000000000',
}

/** The product as it is started, with nothing to follow. */
export async function startSitehost(
  { dataDir }: Pick<Folders, 'dataDir'>,
  preload?: Preload,
): Promise<BenchServer> {
  const service = await startServiceProcess(['serve', '--port', '0', '--data', dataDir], {
    FIREHOSE_URL: 'http://127.0.0.1:9',
    LOG_LEVEL: 'error',
    ...unreachedShares,
    ...(preload !== undefined && {
      ...preload.environment,
      BUN_OPTIONS: `--preload ${preload.file}`,
    }),
  })
  const pin = ['taskset', '-a', '-cp', serverCore, String(service.pid)]
  await Bun.spawn(pin, { stdout: 'ignore' }).exited
  return {
    name: 'sitehost',
    port: Number(service.ready['port']),
    pid: service.pid,
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  }
}

/** Bun with the answers of one page of Sitehost, and nothing else: what the runtime leaves to reach. */
export async function startBare(
  { port }: BenchServer,
  host: string,
  path: string,
): Promise<BenchServer> {
  const script = join(import.meta.dir, 'bare.ts')
  const command = [process.execPath, script, `http://127.0.0.1:${port}${path}`, host]
  const child = Bun.spawn(['taskset', '-c', serverCore, ...command], {
    stdin: 'ignore',
    stdout: 'pipe',
  })
  const { value } = await child.stdout.getReader().read()
  return {
    name: 'bare Bun',
    port: Number(new TextDecoder().decode(value)),
    pid: child.pid,
    [Symbol.asyncDispose]: async () => {
      child.kill()
      await child.exited
    },
  }
}

export async function startNginx({ wwwDir, workDir }: Folders): Promise<BenchServer | null> {
  const dir = join(workDir, 'nginx')
  const port = Number(await freePort())
  const started = await startNginxOf(dir, port, filesNginxConfig(dir, wwwDir, port))
  return started && { name: 'nginx', port, pid: started.workerPid, ...dispose(started) }
}

export async function startCaddy({ wwwDir, workDir }: Folders): Promise<BenchServer | null> {
  const dir = join(workDir, 'caddy')
  const port = Number(await freePort())
  const config = join(dir, 'Caddyfile')
  await Bun.write(config, caddyConfig(wwwDir, port))
  const run = ['caddy', 'run', '--adapter', 'caddyfile', '--config', config]
  const home = [`XDG_DATA_HOME=${dir}`, `HOME=${dir}`]
  const started = await startPinned('caddy', port, ['env', 'GOMAXPROCS=1', ...home, ...run])
  return started && { name: 'caddy', port, pid: started.pid, ...dispose(started) }
}

const dispose = (server: AsyncDisposable): AsyncDisposable => ({
  [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
})

/** A program on the core of the servers, when it takes connections at the port of loopback. Null when it is not installed. */
export async function startPinned(
  program: 'nginx' | 'caddy',
  port: number,
  command: readonly string[],
): Promise<Program | null> {
  if (Bun.which(program) === null) return null
  const socket = { data: () => undefined }
  const connect = async () => (await Bun.connect({ hostname: '127.0.0.1', port, socket })).end()
  return await startProgram(['taskset', '-c', serverCore, ...command], connect)
}

/** nginx with one worker and this configuration. Null when it is not installed. */
export async function startNginxOf(
  dir: string,
  port: number,
  config: string,
): Promise<(Program & { readonly workerPid: number }) | null> {
  const file = join(dir, 'nginx.conf')
  await Bun.write(file, config)
  const master = await startPinned('nginx', port, ['nginx', '-p', dir, '-c', file])
  if (master === null) return null
  const workerPid = await eventually(async () => {
    const children = await Bun.file(`/proc/${master.pid}/task/${master.pid}/children`).text()
    if (children === '') throw new Error('nginx has no worker yet')
    return Number(children.trim())
  })
  return { ...master, workerPid }
}

/** As one would tune it for this: nothing logged, open files kept, nothing compressed on the way. */
export function tunedNginxConfig(
  dir: string,
  http: string,
  { workers = 1, connections = 1024 } = {},
): string {
  const tuned = `include /etc/nginx/mime.types;
  sendfile on;
  tcp_nopush on;
  keepalive_requests 1000000000;
  gzip_static on;
  gzip_vary on;
  open_file_cache max=100000 inactive=1h;
  open_file_cache_valid 1h;
  open_file_cache_min_uses 1;
  ${http}`
  return nginxConfig(dir, tuned, { workers, connections })
}

/** What a server of nginx says to answer with the files. */
export const nginxFiles = (wwwDir: string): string => `
    root ${wwwDir}/$host;
    index index.html;
    add_header Cache-Control "public, max-age=0, must-revalidate";
    add_header X-Content-Type-Options nosniff;
    add_header Access-Control-Allow-Origin *;
    add_header Access-Control-Expose-Headers *;`

export const filesNginxConfig = (dir: string, wwwDir: string, port: number, workers = 1): string =>
  tunedNginxConfig(dir, `server {\n    listen 127.0.0.1:${port};${nginxFiles(wwwDir)}\n  }`, {
    workers,
  })

function caddyConfig(wwwDir: string, port: number): string {
  return `
{
  admin off
  auto_https off
}
http://:${port} {
  root * ${wwwDir}/{host}
  header Cache-Control "public, max-age=0, must-revalidate"
  header X-Content-Type-Options nosniff
  header Access-Control-Allow-Origin *
  header Access-Control-Expose-Headers *
  file_server {
    precompressed gzip
  }
}
`
}
