import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort } from '#main/process/free-port.ts'
import { eventually } from '#tests/support/eventually.ts'
import { startServiceProcess } from '#tests/support/processes/service-process.ts'

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
  await mkdir(dir, { recursive: true })
  await Bun.write(join(dir, 'nginx.conf'), nginxConfig(dir, wwwDir, port))
  const started = await start('nginx', port, ['nginx', '-p', dir, '-c', join(dir, 'nginx.conf')])
  if (started === null) return null
  const children = await Bun.file(`/proc/${started.pid}/task/${started.pid}/children`).text()
  return { ...started, pid: Number(children.trim()) }
}

export async function startCaddy({ wwwDir, workDir }: Folders): Promise<BenchServer | null> {
  const dir = join(workDir, 'caddy')
  const port = Number(await freePort())
  const config = join(dir, 'Caddyfile')
  await Bun.write(config, caddyConfig(wwwDir, port))
  const command = ['caddy', 'run', '--adapter', 'caddyfile', '--config', config]
  return await start('caddy', port, [
    'env',
    'GOMAXPROCS=1',
    `XDG_DATA_HOME=${dir}`,
    `HOME=${dir}`,
    ...command,
  ])
}

/** Null when the program is not installed. */
async function start(
  name: 'nginx' | 'caddy',
  port: number,
  command: readonly string[],
): Promise<BenchServer | null> {
  if (Bun.which(name) === null) return null
  const child = Bun.spawn(['taskset', '-c', serverCore, ...command], {
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'ignore',
  })
  const dispose = async (): Promise<void> => {
    child.kill()
    await child.exited
  }
  await eventually(() => fetch(`http://127.0.0.1:${port}/`)).catch(async (error) => {
    await dispose()
    throw error
  })
  return { name, port, pid: child.pid, [Symbol.asyncDispose]: dispose }
}

/** As one would tune it for this: nothing logged, open files kept, nothing compressed on the way. */
export function nginxConfig(dir: string, wwwDir: string, port: number, workers = 1): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  return `
${process.getuid?.() === 0 ? 'user root;' : ''}
worker_processes ${workers};
daemon off;
pid ${dir}/pid;
error_log ${dir}/error.log;
events { worker_connections 1024; }
http {
  include /etc/nginx/mime.types;
  access_log off;
  sendfile on;
  tcp_nopush on;
  keepalive_requests 1000000000;
  gzip_static on;
  gzip_vary on;
  open_file_cache max=100000 inactive=1h;
  open_file_cache_valid 1h;
  open_file_cache_min_uses 1;
  ${temporary.map((kind) => `${kind}_temp_path ${dir}/${kind};`).join('\n  ')}
  server {
    listen 127.0.0.1:${port};
    root ${wwwDir}/$host;
    index index.html;
    add_header Cache-Control "public, max-age=0, must-revalidate";
    add_header X-Content-Type-Options nosniff;
    add_header Access-Control-Allow-Origin *;
    add_header Access-Control-Expose-Headers *;
  }
}
`
}

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
