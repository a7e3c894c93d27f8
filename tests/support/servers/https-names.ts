import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Send } from '../../../devnet/consent.ts'
import type { HttpsNames } from '../../../devnet/start.ts'
import { publicNames } from './self-signed.ts'

/** https at names that only this test knows, as a reverse proxy with a certificate would have it. */
export interface PublicNames extends AsyncDisposable {
  /** For devnet. */
  readonly options: HttpsNames
  /** For a process of Bun. */
  readonly environment: Readonly<Record<string, string>>
  /** From here on, `https://<name>` is what answers at this port by http. Anything else is nowhere. */
  lead(name: string, port: number): void
  /** The same for what answers by https, with a certificate of its own. */
  leadTls(name: string, port: number): void
  /** `fetch` in a world in which there are these names. */
  readonly fetch: Send
}

/**
 * Listens for https on loopback, with one certificate for the names of `self-signed.ts`, and for programs that
 * want to connect to one of them (CONNECT): nothing is decided by the port that they believe to connect to.
 * What signs certificates of others (`leadTls`) is in `roots`, PEM.
 */
export async function openPublicNames(roots: readonly string[] = []): Promise<PublicNames> {
  const dir = await mkdtemp(join(tmpdir(), 'sitehost-names-'))
  const caFile = join(dir, 'ca.pem')
  const ca = [publicNames.certificate, ...roots]
  await Bun.write(caFile, ca.join(''))
  const ports = new Map<string, number>()
  const tlsPorts = new Map<string, number>()
  const front = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 60,
    tls: { cert: publicNames.certificate, key: publicNames.key },
    fetch: (request) => forward(request, ports),
  })
  const sockets = new Set<Socket>()
  const tlsPortOf = (name: string) => tlsPorts.get(name) ?? front.port ?? 0
  const proxy = createServer((socket) => tunnel(socket, tlsPortOf, sockets))
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  const proxyUrl = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
  return {
    options: { proxy: proxyUrl, caFile },
    environment: {
      HTTPS_PROXY: proxyUrl,
      NO_PROXY: 'localhost,127.0.0.1',
      NODE_EXTRA_CA_CERTS: caFile,
    },
    lead: (name, port) => void ports.set(name, port),
    leadTls: (name, port) => void tlsPorts.set(name, port),
    fetch: (url, init) => {
      const isNamed = url.protocol === 'https:'
      const tls = { ca }
      return fetch(url, { ...init, ...(isNamed && { proxy: proxyUrl, tls }) })
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      proxy.close()
      await front.stop(true)
      await rm(dir, { recursive: true, force: true })
    },
  }
}

async function forward(request: Request, ports: ReadonlyMap<string, number>): Promise<Response> {
  const url = new URL(request.url)
  const host = request.headers.get('host') ?? ''
  const port = ports.get(host)
  if (port === undefined) return new Response(`nobody is at ${host}`, { status: 502 })
  const headers = new Headers(request.headers)
  headers.set('x-forwarded-proto', 'https')
  const answer = await fetch(`http://127.0.0.1:${port}${url.pathname}${url.search}`, {
    ...{ method: request.method, headers, redirect: 'manual', decompress: false },
    ...(request.body !== null && { body: await request.arrayBuffer() }),
  })
  return new Response(answer.body, answer)
}

function tunnel(socket: Socket, portOf: (name: string) => number, sockets: Set<Socket>): void {
  const keep = (one: Socket, other: Socket) => {
    sockets.add(one)
    one.on('close', () => sockets.delete(one))
    one.on('error', () => other.destroy())
  }
  socket.once('data', (head) => {
    const [, name] = /^CONNECT ([^ ]+):443 /.exec(head.toString()) ?? []
    if (name === undefined) return void socket.destroy()
    const onward = connect(portOf(name), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      socket.pipe(onward).pipe(socket)
    })
    keep(socket, onward)
    keep(onward, socket)
  })
}
