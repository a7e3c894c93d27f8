import { join } from 'node:path'
import { freePort } from '#main/process/free-port.ts'
import { startServiceProcess } from '#tests/support/processes/service-process.ts'
import {
  nginxFiles,
  serverCore,
  startNginxOf,
  startPinned,
  tunedNginxConfig,
  unreachedShares,
} from '../edge/servers.ts'

export const baseDomain = 'sites.bench.home.arpa'
const application = 'bench.home.arpa'

/** What answers by https at a port of loopback. */
export interface HttpsServer extends AsyncDisposable {
  readonly name: 'sitehost' | 'bare Bun' | 'nginx' | 'nginx in front' | 'caddy in front'
  readonly port: number
  /** All processes that an answer takes. */
  readonly pids: readonly number[]
}

export interface HttpsFolders {
  readonly dataDir: string
  readonly wwwDir: string
  readonly workDir: string
  readonly chainFile: string
  readonly keyFile: string
}

/**
 * A certificate for the base domain and the application, as authorities issue them: of an elliptic curve, with its issuer's behind it. Without
 * that BoringSSL looks for it among the system's, in each handshake.
 */
export async function makeCertificate(
  chainFile: string,
  keyFile: string,
  names = [application, baseDomain, `*.${baseDomain}`],
): Promise<void> {
  const alternative = `subjectAltName=${names.map((name) => `DNS:${name}`).join(',')}`
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  const [issuerFile, issuerKeyFile] = [`${chainFile}.issuer`, `${keyFile}.issuer`]
  const issuer = ['-keyout', issuerKeyFile, '-out', issuerFile, '-subj', '/CN=bench issuer']
  await openssl('req', '-x509', '-days', '30', ...key, ...issuer)
  const own = ['-keyout', keyFile, '-out', chainFile, '-subj', '/CN=bench']
  const signed = ['-CA', issuerFile, '-CAkey', issuerKeyFile, '-addext', alternative]
  await openssl('req', '-x509', '-days', '30', ...key, ...own, ...signed)
  const texts = [chainFile, issuerFile].map((file) => Bun.file(file).text())
  await Bun.write(chainFile, (await Promise.all(texts)).join(''))
}

async function openssl(...args: string[]): Promise<void> {
  const code = await Bun.spawn(['openssl', ...args], { stdout: 'ignore', stderr: 'ignore' }).exited
  if (code !== 0) throw new Error('openssl has made no certificate')
}

/** The product as it is started. Its port without TLS is for fronts. */
export async function startSitehost(
  folders: HttpsFolders,
  environment: Readonly<Record<string, string>> = {},
): Promise<HttpsServer & { readonly plainPort: number }> {
  const port = await freePort()
  const args = ['serve', '--port', '0', '--data', folders.dataDir]
  const service = await startServiceProcess(args, {
    FIREHOSE_URL: 'http://127.0.0.1:9',
    LOG_LEVEL: 'error',
    BASE_URL: `https://${application}`,
    BASE_DOMAIN: baseDomain,
    TLS: 'files',
    TLS_FILES: `${folders.chainFile}:${folders.keyFile}`,
    TLS_LISTEN: `127.0.0.1:${port}`,
    HTTP_LISTEN: 'off',
    // The limits of one network are for strangers: all load comes from one address.
    TRUSTED_PROXIES: '127.0.0.1',
    ...unreachedShares,
    ...environment,
  })
  const pin = ['taskset', '-a', '-cp', serverCore, String(service.pid)]
  await Bun.spawn(pin, { stdout: 'ignore' }).exited
  return {
    name: 'sitehost',
    port: Number(port),
    plainPort: Number(service.ready['port']),
    pids: [service.pid],
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  }
}

/** Bun with the answers of one page of Sitehost, TLS, and nothing else: what the runtime leaves to reach. */
export async function startBare(
  { plainPort }: { readonly plainPort: number },
  host: string,
  { chainFile, keyFile }: HttpsFolders,
): Promise<HttpsServer> {
  const script = join(import.meta.dir, '../edge/bare.ts')
  const page = `http://127.0.0.1:${plainPort}/`
  const command = [process.execPath, script, page, host, chainFile, keyFile]
  const child = Bun.spawn(['taskset', '-c', serverCore, ...command], { stdout: 'pipe' })
  const { value } = await child.stdout.getReader().read()
  return {
    name: 'bare Bun',
    port: Number(new TextDecoder().decode(value)),
    pids: [child.pid],
    [Symbol.asyncDispose]: async () => {
      child.kill()
      await child.exited
    },
  }
}

/** nginx with the same files. */
export async function startNginx(folders: HttpsFolders): Promise<HttpsServer | null> {
  return await nginx('nginx', folders, nginxFiles(folders.wwwDir), [])
}

/** nginx as a front of ours, with connections that are kept. */
export async function startNginxFront(
  folders: HttpsFolders,
  { plainPort, pids }: { readonly plainPort: number; readonly pids: readonly number[] },
): Promise<HttpsServer | null> {
  const forwards = `
    location / {
      proxy_pass http://127.0.0.1:${plainPort};
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_set_header Host $host;
      proxy_set_header X-Forwarded-For $remote_addr;
      proxy_set_header X-Forwarded-Proto https;
      proxy_buffers 8 32k;
    }`
  const kept = forwards.replace(`127.0.0.1:${plainPort}`, 'sitehost')
  const upstream = `upstream sitehost { server 127.0.0.1:${plainPort}; keepalive 64; keepalive_requests 1000000000; }`
  return await nginx('nginx in front', folders, kept, pids, upstream)
}

export async function startCaddyFront(
  { chainFile, keyFile, workDir }: HttpsFolders,
  { plainPort, pids }: { readonly plainPort: number; readonly pids: readonly number[] },
): Promise<HttpsServer | null> {
  const dir = join(workDir, 'caddy')
  const port = Number(await freePort())
  const config = join(dir, 'Caddyfile')
  const site = `https://*.${baseDomain}:${port}`
  await Bun.write(
    config,
    `{
  admin off
  auto_https off
}
${site} {
  tls ${chainFile} ${keyFile}
  reverse_proxy 127.0.0.1:${plainPort}
}
`,
  )
  const run = ['caddy', 'run', '--adapter', 'caddyfile', '--config', config]
  const home = [`XDG_DATA_HOME=${dir}`, `HOME=${dir}`]
  const child = await startPinned('caddy', port, ['env', 'GOMAXPROCS=1', ...home, ...run])
  return child && { ...child, port, name: 'caddy in front', pids: [child.pid, ...pids] }
}

async function nginx(
  name: 'nginx' | 'nginx in front',
  { chainFile, keyFile, workDir }: HttpsFolders,
  server: string,
  others: readonly number[],
  upstream = '',
): Promise<HttpsServer | null> {
  const dir = join(workDir, name.replaceAll(' ', '-'))
  const port = Number(await freePort())
  const http = `
  ssl_certificate ${chainFile};
  ssl_certificate_key ${keyFile};
  ssl_protocols TLSv1.2 TLSv1.3;
  ssl_session_cache shared:tls:10m;
  ${upstream}
  server {
    listen 127.0.0.1:${port} ssl http2;
    ${server}
  }`
  const started = await startNginxOf(
    dir,
    port,
    tunedNginxConfig(dir, http, { connections: 16_384 }),
  )
  return started && { ...started, port, name, pids: [started.workerPid, ...others] }
}
