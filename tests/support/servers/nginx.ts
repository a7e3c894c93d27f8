import { join } from 'node:path'
import { ownPort } from '#tests/support/processes/own-port.ts'
import { programPath } from '#tests/support/require.ts'
import { type Program, startProgram } from './start-program.ts'

export const nginxProgram = programPath('nginx')

export interface Nginx extends AsyncDisposable {
  readonly origin: string
}

/** Serves a folder with nginx; its own files are in `dir`. */
export async function startNginx(folder: string, dir: string): Promise<Nginx> {
  const port = await ownPort()
  return await run(
    port,
    dir,
    `server { listen 127.0.0.1:${port}; root ${folder}; index index.html; }`,
  )
}

interface CacheOptions {
  readonly port: string
  readonly dir: string
  /** Of the service. */
  readonly backendPort: string
  readonly applicationHost: string
  readonly baseDomain: string
}

/** nginx with `deploy/nginx/sitehost-cache.conf`, by http. */
export async function startNginxCache(options: CacheOptions): Promise<Nginx> {
  const { applicationHost, backendPort, baseDomain, dir, port } = options
  const shipped = await Bun.file(
    join(import.meta.dir, '../../../deploy/nginx/sitehost-cache.conf'),
  ).text()
  const servers = shipped
    .replaceAll('listen 443 ssl http2', `listen 127.0.0.1:${port}`)
    .replaceAll(/^ *ssl_certificate.*\n/gm, '')
    .replaceAll('127.0.0.1:3000', `127.0.0.1:${backendPort}`)
    .replaceAll('sitehost.example', applicationHost)
    .replaceAll('sites.example', baseDomain)
    .replace('/var/cache/nginx/sitehost', join(dir, 'kept'))
  return await run(port, dir, servers)
}

async function run(port: string, dir: string, servers: string): Promise<Nginx> {
  const config = nginxConfig(dir, `include /etc/nginx/mime.types;\n${servers}`)
  const origin = `http://127.0.0.1:${port}`
  const program = await startNginxWith(config, dir, () => fetch(origin))
  return { origin, [Symbol.asyncDispose]: () => program[Symbol.asyncDispose]() }
}

/** nginx with such a configuration; `runner`: a command that runs it. */
export async function startNginxWith(
  config: string,
  dir: string,
  answers: () => Promise<unknown>,
  runner: readonly string[] = [],
): Promise<Program> {
  const file = join(dir, 'nginx.conf')
  await Bun.write(file, config)
  return await startProgram([...runner, nginxProgram ?? 'nginx', '-p', dir, '-c', file], answers)
}

/** All that it writes is in `dir`; `http`: what that block has, `connections`: of a worker, at most. */
export function nginxConfig(
  dir: string,
  http: string,
  { connections = 512, workers = 1 } = {},
): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  return `
${process.getuid?.() === 0 ? 'user root;' : ''}
worker_processes ${workers};
daemon off;
pid ${dir}/pid;
error_log ${dir}/error.log;
events { worker_connections ${connections}; }
http {
  access_log off;
  ${temporary.map((kind) => `${kind}_temp_path ${dir}/${kind};`).join('\n  ')}
  ${http}
}
`
}
