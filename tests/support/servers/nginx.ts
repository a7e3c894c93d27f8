import { join } from 'node:path'
import { eventually } from '#tests/support/eventually.ts'
import { ownPort } from '#tests/support/processes/own-port.ts'

export const nginxProgram = Bun.which('nginx', { PATH: `${process.env['PATH']}:/usr/sbin` })

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
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  const config = `
    ${process.getuid?.() === 0 ? 'user root;' : ''}
    daemon off;
    pid ${dir}/pid;
    error_log ${dir}/error.log;
    events {}
    http {
      include /etc/nginx/mime.types;
      access_log off;
      ${temporary.map((kind) => `${kind}_temp_path ${dir}/${kind};`).join('\n')}
      ${servers}
    }`
  await Bun.write(join(dir, 'nginx.conf'), config)
  const command = [nginxProgram ?? 'nginx', '-p', dir, '-c', join(dir, 'nginx.conf')]
  const child = Bun.spawn(command, { stdin: 'ignore', stdout: 'ignore', stderr: 'ignore' })
  const origin = `http://127.0.0.1:${port}`
  const dispose = async (): Promise<void> => {
    child.kill()
    await child.exited
  }
  await eventually(() => fetch(origin)).catch(async (error) => {
    await dispose()
    throw error
  })
  return { origin, [Symbol.asyncDispose]: dispose }
}
