import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect as connectHttp2 } from 'node:http2'
import { connect as connectTcp } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import type { Answer } from '#edge/dispatch.ts'
import { respondFromMemory } from '#edge/files/in-memory-answer.ts'
import { DirectRequest } from '#edge/tls/direct-request.ts'
import { SerializedAnswers } from '#edge/tls/serialized-answers.ts'
import { parseTrustedProxies } from '#http/client-address.ts'
import { ConfigError } from '#main/config/config.ts'
import { serveTls, type TlsService } from '#main/process/serve-tls.ts'
import { openFileCertificates } from '#main/service/open-certificates.ts'
import { Tally } from '#observe/tally.ts'
import { eventually } from '#tests/support/eventually.ts'
import { ownPort } from '#tests/support/processes/own-port.ts'
import { hasPrograms } from '#tests/support/require.ts'
import {
  loopbackCertificate,
  loopbackCertificateKey,
} from '#tests/support/servers/loopback-certificate.ts'
import { publicNames } from '#tests/support/servers/self-signed.ts'
import { rawRequest } from '#tests/support/visitors/raw-http.ts'

const host = 'blog.sites.example'
const other = 'sitehost.home.arpa'
const ca = [loopbackCertificate, publicNames.certificate]
const silent = { debug() {}, info() {}, warn() {}, error() {} }
const large = 'x'.repeat(3_000_000)

let dir: string
let tls: TlsService
let httpPort = 0
const handshakes = new Tally<string>()
/** When a request for the path has come, and when it is answered. */
const holds = new Map(
  ['/held', '/held-http2'].map((path) => [
    path,
    { begun: Promise.withResolvers<void>(), end: Promise.withResolvers<void>() },
  ]),
)
const signal = new AbortController().signal
const fileOf = (name: string) => join(dir, name)

const head = { status: 200, headers: new Headers({ 'content-length': '4' }) }
const body = new Blob(['kept'])
let onTheirConnection = 0

/** Says who asks; what is held answers when that ends, and `/kept` at once. */
const answer: Answer = (request, server) => {
  if (!request.url.endsWith('/kept')) return answerLater(request, server)
  if (request instanceof DirectRequest) onTheirConnection++
  return respondFromMemory(request, head, body)
}
const answerLater = async (...[request, server]: Parameters<Answer>): Promise<Response> => {
  const { pathname } = new URL(request.url)
  if (pathname === '/large') return new Response(large)
  const hold = holds.get(pathname)
  if (hold !== undefined) {
    hold.begun.resolve()
    await hold.end.promise
    return new Response(large)
  }
  const body = request.body && (await request.text())
  const address = server.requestIP(request)?.address
  return Response.json({ address, host: request.headers.get('host'), body })
}

const filesOf = (pairs: readonly [string, string][]) =>
  openFileCertificates(
    pairs.map(([chainFile, keyFile]) => ({
      chainFile: fileOf(chainFile),
      keyFile: fileOf(keyFile),
    })),
  )
const start = async (pairs: readonly [string, string][]) =>
  serveTls({
    answer,
    applicationHost: other,
    elapsed: () => performance.now(),
    serialized: new SerializedAnswers({ hstsSeconds: 60, now: Date.now }),
    files: await filesOf(pairs),
    log: silent,
    ordered: null,
    onHandshake: (end) => handshakes.add(end),
    signal,
    tls: {
      listen: { host: '127.0.0.1', port: 0 },
      httpListen: { host: '127.0.0.1', port: httpPort },
      hstsSeconds: 60,
      dnsListen: null,
    },
    trustedProxies: parseTrustedProxies('192.0.2.1') ?? [],
  })

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'sitehost-tls-'))
  await Bun.write(fileOf('sites.pem'), loopbackCertificate)
  await Bun.write(fileOf('sites.key'), loopbackCertificateKey)
  await Bun.write(fileOf('app.pem'), publicNames.certificate)
  await Bun.write(fileOf('app.key'), publicNames.key)
  await Bun.write(fileOf('broken.pem'), 'not a certificate')
  httpPort = Number(await ownPort())
  tls = await start([
    ['sites.pem', 'sites.key'],
    ['app.pem', 'app.key'],
  ])
})
afterAll(async () => {
  await tls[Symbol.asyncDispose]()
  await rm(dir, { recursive: true, force: true })
})

/** Opens a connection; rejects when the handshake fails. */
function open(servername: string, options: { ALPNProtocols?: string[] } = {}): Promise<TLSSocket> {
  const { promise, resolve, reject } = Promise.withResolvers<TLSSocket>()
  const to = { host: '127.0.0.1', port: tls.port, servername, ca, ...options }
  const socket = connectTls(to, () => resolve(socket))
  socket.on('error', reject)
  return promise
}

/** One request over HTTP/1.1, whose answer ends with the connection. */
async function ask(servername: string, head: string): Promise<string> {
  const socket = await open(servername)
  socket.write(`${head}\r\nconnection: close\r\n\r\n`)
  let text = ''
  for await (const chunk of socket) text += chunk
  return text
}

/** One request over HTTP/2, with all that came back. */
function ask2(servername: string, headers: Record<string, string>, body = '') {
  const { promise, resolve, reject } = Promise.withResolvers<[number, string, string | undefined]>()
  const session = connectHttp2(`https://127.0.0.1:${tls.port}`, { servername, ca })
  session.on('error', reject)
  const stream = session.request({ ':authority': servername, ...headers })
  let [status, hsts, text] = [0, undefined as string | undefined, '']
  stream.on('response', (fields) => {
    status = Number(fields[':status'])
    hsts = fields['strict-transport-security']?.toString()
  })
  stream.setEncoding('utf8')
  stream.on('data', (chunk) => {
    text += chunk
  })
  stream.on('error', reject)
  stream.on('end', () => {
    session.close()
    resolve([status, text, hsts])
  })
  stream.end(body)
  return promise
}

describe('what goes through', () => {
  test('HTTP/2, with the visitor’s address and the name that the certificate is chosen by', async () => {
    for (const name of [host, other]) {
      const [status, text, hsts] = await ask2(name, { ':method': 'POST', ':path': '/' }, 'hello')
      expect([status, hsts]).toEqual([200, 'max-age=60'])
      expect(JSON.parse(text)).toEqual({ address: '127.0.0.1', host: name, body: 'hello' })
    }
  })

  test('HTTP/1.1, whole, to a client that reads slowly', async () => {
    const socket = await open(host)
    socket.write(`GET /large HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`)
    socket.pause()
    await eventually(async () => expect(socket.readableLength).toBeGreaterThan(0))
    let length = 0
    for await (const chunk of socket) length += chunk.length
    expect(length).toBeGreaterThan(large.length)
  })

  test('HTTP/1.1, answered on its connection where the answer is there as a whole', async () => {
    const socket = await open(host)
    const kept = (name: string) => `GET /kept HTTP/1.1\r\nhost: ${name}\r\n\r\n`
    let text = ''
    socket.setEncoding('latin1')
    socket.on('data', (chunk) => {
      text += chunk
    })
    for (let count = 1; count <= 3; count++) {
      socket.write(kept(host))
      await eventually(async () => expect(text.split('\r\n\r\nkept').length).toBe(count + 1))
    }
    expect(text.match(/strict-transport-security: max-age=60/g)).toHaveLength(3)
    expect(onTheirConnection).toBe(3)
    // The inner server takes over with the first one that is not.
    socket.write(kept(other))
    await eventually(async () => expect(text).toContain('HTTP/1.1 421 '))
    socket.write(kept(host))
    await eventually(async () => expect(text.split('kept').length).toBe(5))
    expect(onTheirConnection).toBe(3)
    socket.destroy()
  })

  test('headers about the visitor are believed from nobody', async () => {
    const forged = 'x-forwarded-for: 198.51.100.7'
    expect(await ask(host, `GET / HTTP/1.1\r\nhost: ${host}\r\n${forged}`)).toContain('127.0.0.1')
  })
})

describe('what is refused', () => {
  const hosts: [given: string, status: number][] = [
    [host, 200],
    [`${host}:8443`, 200],
    ['BLOG.sites.example.', 200],
    ['shop.sites.example', 421],
    [other, 421],
    ['', 421],
  ]
  for (const [given, status] of hosts) {
    test(`host ${given} on a connection for ${host}: ${status}`, async () => {
      const text = await ask(host, `GET / HTTP/1.1\r\nhost: ${given}`)
      expect(text).toStartWith(`HTTP/1.1 ${status} `)
    })
  }

  test('the same over HTTP/2', async () => {
    const [status] = await ask2(host, { ':path': '/', ':authority': other })
    expect(status).toBe(421)
  })

  test('a name without a certificate, and no name', async () => {
    const before = handshakes.counts['unknown-name'] ?? 0
    for (const name of ['other.example', 'a.blog.sites.example', 'sites.example']) {
      await expect(open(name)).rejects.toThrow()
    }
    await expect(open('')).rejects.toThrow()
    expect((handshakes.counts['unknown-name'] ?? 0) - before).toBe(3)
  })

  test('http instead of TLS, and a huge ClientHello', async () => {
    const huge = Buffer.concat([
      Buffer.from([22, 3, 1, 64, 0, 1, 255, 255, 255]),
      Buffer.alloc(16_380),
    ])
    for (const bytes of [Buffer.from('GET / HTTP/1.1\r\n\r\n'), huge]) {
      const socket = connectTcp(tls.port, '127.0.0.1')
      const closed = Promise.withResolvers<void>()
      socket.on('close', () => closed.resolve())
      socket.on('error', () => undefined)
      socket.write(bytes)
      socket.resume()
      await closed.promise
    }
  })
})

test('http leads to https', async () => {
  const { status, headers } = await rawRequest(
    httpPort,
    `GET /a%20b?c=d HTTP/1.1\r\nhost: ${host}:80\r\n\r\n`,
  )
  expect([status, headers['location']]).toEqual([308, `https://${host}/a%20b?c=d`])
  const bad = await rawRequest(httpPort, 'GET / HTTP/1.1\r\nhost: a@b\r\n\r\n')
  expect(bad.status).toBe(400)
})

test('certificates that cannot be used are named', async () => {
  const refused: [[string, string], RegExp][] = [
    [['none.pem', 'sites.key'], /^TLS_FILES: .*none\.pem cannot be read \(ENOENT\)$/],
    [['broken.pem', 'sites.key'], /^TLS_FILES: .*broken\.pem is not in PEM$/],
    [['sites.pem', 'app.key'], /app\.key is not the key of the certificate in .*sites\.pem$/],
  ]
  for (const [pair, sentence] of refused) {
    await expect(filesOf([pair])).rejects.toThrow(ConfigError)
    await expect(filesOf([pair])).rejects.toThrow(sentence)
  }
})

const hasOpenssl = await hasPrograms('TLS as openssl sees it', 'openssl')

if (hasOpenssl) {
  describe('TLS as openssl sees it', () => {
    const table: [what: string, args: string[], said: RegExp][] = [
      ['TLS 1.3', ['-tls1_3'], /New, TLSv1\.3, Cipher is TLS_AES_/],
      ['TLS 1.2', ['-tls1_2'], /New, TLSv1\.2, Cipher is ECDHE-ECDSA-AES128-GCM-SHA256/],
      ['no TLS 1.1', ['-tls1_1', '-cipher', 'ALL:@SECLEVEL=0'], /alert protocol version/],
      ['no TLS 1.0', ['-tls1', '-cipher', 'ALL:@SECLEVEL=0'], /alert protocol version/],
      ...[
        'AES128-SHA',
        'AES128-GCM-SHA256',
        'ECDHE-ECDSA-AES128-SHA',
        'ECDHE-ECDSA-AES256-SHA384',
        'ECDHE-ECDSA-AES128-CCM',
        'DHE-RSA-AES128-GCM-SHA256',
        'ECDHE-ECDSA-NULL-SHA',
        'AECDH-AES128-SHA',
      ].map((cipher): [string, string[], RegExp] => [
        `not ${cipher}`,
        ['-tls1_2', '-cipher', `${cipher}:@SECLEVEL=0`],
        /alert handshake failure/,
      ]),
      [
        'our order of ciphers',
        ['-tls1_2', '-cipher', 'ECDHE-ECDSA-AES256-GCM-SHA384:ECDHE-ECDSA-AES128-GCM-SHA256'],
        /Cipher is ECDHE-ECDSA-AES128-GCM-SHA256/,
      ],
      ['no compression', ['-tls1_2', '-comp'], /Compression: NONE/],
      [
        'no signatures with SHA-1',
        ['-tls1_2', '-cipher', 'ALL:@SECLEVEL=0', '-sigalgs', 'ECDSA+SHA1'],
        /alert handshake failure/,
      ],
      [
        'no fallback to TLS 1.2 by an attacker',
        ['-tls1_2', '-fallback_scsv'],
        /alert inappropriate fallback/,
      ],
      ['no heartbeats', ['-tls1_2', '-tlsextdebug'], /^(?!.*heartbeat)/is],
      ['secure renegotiation (RFC 5746)', ['-tls1_2'], /Secure Renegotiation IS supported/],
      ['extended master secrets (RFC 7627)', ['-tls1_2'], /Extended master secret: yes/],
      ['keys of X25519', ['-tls1_3', '-groups', 'X25519'], /Server Temp Key: X25519/],
      ['no small groups', ['-tls1_2', '-groups', 'secp192r1'], /alert handshake failure/],
      ['no early data, which can be replayed', ['-tls1_3'], /^(?!.*Max Early Data: [1-9])/is],
      ['no certificate of the client', ['-tls1_2'], /No client certificate CA names sent/],
      ['h2 first', ['-alpn', 'http/1.1,h2'], /ALPN protocol: h2/],
      ['http/1.1', ['-alpn', 'http/1.1'], /ALPN protocol: http\/1\.1/],
      ['no other protocol', ['-alpn', 'spdy/3'], /alert no application protocol/],
    ]
    const client = async (args: readonly string[], input = '') => {
      const child = Bun.spawn({
        cmd: [
          'openssl',
          's_client',
          '-connect',
          `127.0.0.1:${tls.port}`,
          '-servername',
          host,
          ...args,
        ],
        stdin: new TextEncoder().encode(input),
        stdout: 'pipe',
        stderr: 'pipe',
      })
      const said = await Promise.all([
        new Response(child.stdout).text(),
        new Response(child.stderr).text(),
      ])
      return said.join('')
    }
    for (const [what, args, said] of table) {
      test(what, async () => expect(await client(args)).toMatch(said))
    }

    test('no renegotiation', async () => {
      expect(await client(['-tls1_2'], 'R\n')).toMatch(/no renegotiation|alert/)
    })

    test('a session is resumed', async () => {
      const file = fileOf('session')
      await client(['-tls1_2', '-sess_out', file])
      expect(await client(['-tls1_2', '-sess_in', file])).toMatch(/^Reused, TLSv1\.2/m)
    })
  })
}

test('stopping answers what is in progress, and new visitors meanwhile', async () => {
  const socket = await open(other)
  socket.write(`GET /held HTTP/1.1\r\nhost: ${other}\r\n\r\n`)
  let length = 0
  socket.on('data', (chunk) => {
    length += chunk.length
  })
  const closed = Promise.withResolvers<void>()
  socket.on('close', () => closed.resolve())
  const overHttp2 = ask2(other, { ':path': '/held-http2' })
  for (const { begun } of holds.values()) await begun.promise
  const drained = tls.drain(new AbortController().signal)
  const isAnswered = async () => {
    const later = await open(other)
    later.write(`GET / HTTP/1.1\r\nhost: ${other}\r\n\r\n`)
    const overHttp1 = (await Array.fromAsync(later, String)).join('')
    const [status] = await ask2(other, { ':path': '/' })
    return overHttp1.startsWith('HTTP/1.1 200 ') && status === 200
  }
  expect(await isAnswered()).toBe(true)
  holds.get('/held')?.end.resolve()
  await closed.promise
  expect(length).toBeGreaterThan(large.length)
  // Over either protocol, as long as there is a request over the other.
  expect(await isAnswered()).toBe(true)
  holds.get('/held-http2')?.end.resolve()
  const [heldStatus] = await overHttp2
  expect(heldStatus).toBe(200)
  await drained
  await expect(open(other)).rejects.toThrow()
})
