import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect, type SessionOptions } from 'node:quic'
import { FileCertificates } from '#certificates/file-certificates.ts'
import { WakeUp } from '#concurrency/wake-up.ts'
import type { Answer } from '#edge/dispatch.ts'
import type { Http3End } from '#edge/http3/answer-http3.ts'
import { ConfigError } from '#main/config/config.ts'
import { FixedCertificates } from '#main/process/fixed-certificates.ts'
import { Http3 } from '#main/process/serve-http3.ts'
import { Tally } from '#observe/tally.ts'
import { eventually } from '#tests/support/eventually.ts'
import { ownPort } from '#tests/support/processes/own-port.ts'
import {
  loopbackCertificate,
  loopbackCertificateKey,
} from '#tests/support/servers/loopback-certificate.ts'
import { publicNames } from '#tests/support/servers/self-signed.ts'

const application = 'sitehost.home.arpa'
const baseDomain = 'sites.example'
const silent = { debug() {}, info() {}, warn() {}, error() {} }
const large = new Uint8Array(3_000_000).fill(120)
const signal = new AbortController().signal

let dir: string
let port: number
let files: FileCertificates
let http3: Http3
const ends = new Tally<Http3End>()
const begun = Promise.withResolvers<void>()
const held = Promise.withResolvers<void>()

/** Says who asks; `/held` answers when `held` does. */
const answer: Answer = async (request, server) => {
  const { pathname } = new URL(request.url)
  if (pathname === '/large') return new Response(large)
  if (pathname === '/held') {
    begun.resolve()
    await held.promise
    return new Response(large)
  }
  const body = request.body && (await request.text())
  const { address } = server.requestIP(request) ?? {}
  const text = JSON.stringify({ address, method: request.method, body })
  return new Response(text, { headers: { 'content-length': String(text.length) } })
}

const writePair = async (name: string, chain: string, key: string): Promise<void> => {
  await Bun.write(join(dir, `${name}.pem`), chain)
  await Bun.write(join(dir, `${name}.key`), key)
}
const open = (
  at: number,
  sources: ConstructorParameters<typeof FixedCertificates>[0] = { files, ordered: null },
) =>
  new Http3({
    answer,
    certificates: new FixedCertificates(sources, { applicationHost: application, baseDomain }),
    hstsSeconds: 60,
    listen: { host: '127.0.0.1', port: at },
    log: silent,
    onRequest: (end) => ends.add(end),
  })

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'sitehost-http3-'))
  port = Number(await ownPort())
  await writePair('app', publicNames.certificate, publicNames.key)
  await writePair('sites', loopbackCertificate, loopbackCertificateKey)
  files = new FileCertificates(
    ['app', 'sites'].map((name) => ({
      chainFile: join(dir, `${name}.pem`),
      keyFile: join(dir, `${name}.key`),
    })),
  )
  http3 = open(port)
})
afterAll(async () => {
  await http3[Symbol.asyncDispose]()
  await rm(dir, { recursive: true, force: true })
})

/** The client knows addresses alone; a browser, which knows names too, is in `tests/browser-protocols`. */
const ask = (host: string, path = '/', init: RequestInit = {}): Promise<Response> =>
  fetch(`https://127.0.0.1:${port}${path}`, {
    ...init,
    protocol: 'http3',
    headers: { host },
    tls: { rejectUnauthorized: false },
  } as RequestInit)

test('without certificates it does not listen, and nothing says that it does', async () => {
  await http3.renew(signal)
  expect(http3.alternative(application)).toBeNull()
})

test('with some it answers, as over TCP, whoever asks', async () => {
  await files.read()
  await http3.renew(signal)
  const posted = await ask(application, '/', { method: 'POST', body: 'hello' })
  expect(posted.headers.get('strict-transport-security')).toBe('max-age=60')
  expect(await posted.json()).toEqual({ address: '127.0.0.1', method: 'POST', body: 'hello' })
  expect((await (await ask('blog.sites.example', '/large')).bytes()).length).toBe(large.length)
  const head = await ask(application, '/', { method: 'HEAD' })
  expect([head.status, await head.text()]).toEqual([200, ''])
})

const table: [host: string, status: number, isAdvertised: boolean][] = [
  [application, 200, true],
  ['Blog.Sites.Example.', 200, true],
  // In the certificate, and no fixed name.
  ['pds.home.arpa', 421, false],
  ['a.blog.sites.example', 421, false],
  ['other.example', 421, false],
]
for (const [host, status, isAdvertised] of table) {
  test(`${host}: ${status}`, async () => {
    expect((await ask(host)).status).toBe(status)
    const alternative = http3.alternative(host.toLowerCase().replace(/\.$/, ''))
    expect(alternative).toBe(isAdvertised ? `h3=":${port}"` : null)
  })
}

test('how requests ended is counted', () => {
  expect(ends.counts).toMatchObject({ answered: 5, misdirected: 3 })
})

test('a certificate that is ordered later is taken at once', async () => {
  const stop = new AbortController()
  let version: number | null = null
  const changes = new WakeUp()
  const ordered = {
    changes,
    placeOf: (name: string) =>
      version === null || name !== application ? null : { name, version },
    read: async () => ({ chain: publicNames.certificate, key: publicNames.key }),
  }
  const sources = { files: { find: () => null, version: 0 }, ordered }
  const at = Number(await ownPort())
  await using late = open(at, sources)
  const running = late.run(stop.signal)
  version = 1
  changes.wake()
  // Long before it looks again.
  await eventually(async () => expect(late.alternative(application)).toBe(`h3=":${at}"`), 10_000)
  stop.abort()
  await running
})

test('a port that is taken is said', async () => {
  const second = open(port)
  await expect(second.renew(signal)).rejects.toThrow(ConfigError)
  await expect(second.renew(signal)).rejects.toThrow(`HTTP3: UDP port ${port} of 127.0.0.1`)
})

// Whoever has recorded early data could send it again (RFC 8446 §8): a request would come twice.
test('what a client sends before the handshake (0-RTT) is not accepted', async () => {
  const tickets: Uint8Array[] = []
  const visit = async (options: SessionOptions) => {
    const session = await connect(`127.0.0.1:${port}`, {
      servername: 'blog.sites.example',
      alpn: 'h3',
      verifyPeer: 'manual',
      onsessionticket: (ticket) => void tickets.push(ticket as Uint8Array),
      ...options,
    })
    session.closed.catch(() => undefined)
    if (options.sessionTicket !== undefined) {
      const headers = { ':method': 'GET', ':path': '/', ':scheme': 'https', ':authority': 'a' }
      const stream = await session.createBidirectionalStream({ headers })
      stream.closed.catch(() => undefined)
    }
    const { earlyDataAccepted, earlyDataAttempted } = await session.opened
    await eventually(async () => expect(tickets.length).toBeGreaterThan(0))
    await session.close()
    return { earlyDataAccepted, earlyDataAttempted }
  }
  await visit({})
  expect(await visit({ sessionTicket: tickets[0] })).toEqual({
    earlyDataAccepted: false,
    earlyDataAttempted: true,
  })
})

test('a renewed certificate is shown, and what was asked before is answered whole', async () => {
  const inProgress = ask(application, '/held', { method: 'POST', body: '.' })
  await begun.promise
  await writePair('app', loopbackCertificate, loopbackCertificateKey)
  await files.read()
  const renewed = http3.renew(signal)
  // Meanwhile visitors come by TCP.
  await eventually(async () => expect(http3.alternative('blog.sites.example')).toBeNull())
  held.resolve()
  expect((await (await inProgress).bytes()).length).toBe(large.length)
  await renewed
  expect(http3.alternative('blog.sites.example')).toBe(`h3=":${port}"`)
  // It has no certificate any more.
  expect((await ask(application)).status).toBe(421)
  expect((await ask('blog.sites.example')).status).toBe(200)
})

test('what does not change is not replaced', async () => {
  const response = await ask('blog.sites.example', '/large')
  await http3.renew(signal)
  expect((await response.bytes()).length).toBe(large.length)
})

test('a client that hangs up in the middle is counted', async () => {
  const hangUp = new AbortController()
  const response = await ask('blog.sites.example', '/large', { signal: hangUp.signal })
  await response.body?.getReader().read()
  hangUp.abort()
  await eventually(async () => expect(ends.counts.cancelled).toBe(1))
})

test('stopping answers nobody any more', async () => {
  await http3.drain(signal)
  expect(http3.alternative('blog.sites.example')).toBeNull()
  const again = open(port)
  await again.renew(signal)
  await again[Symbol.asyncDispose]()
})
