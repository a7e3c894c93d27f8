import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { connect } from 'node:net'
import { connect as connectTls, createSecureContext, type TLSSocket } from 'node:tls'
import { recordingLog } from '#tests/support/api.ts'
import { eventually } from '#tests/support/eventually.ts'
import {
  loopbackCertificate,
  loopbackCertificateKey,
} from '#tests/support/servers/loopback-certificate.ts'
import { unexpected } from '#tests/support/servers/unexpected.ts'
import { ConnectionGate } from './connection-gate.ts'
import { Http1Pipe } from './http1-pipe.ts'
import { defaultPipeLimits } from './pipe-to.ts'
import { listenPlain } from './plain-listener.ts'
import { listenTls, type TlsListener } from './tls-listener.ts'

const context = createSecureContext({ cert: loopbackCertificate, key: loopbackCertificateKey })
const tlsTo = { host: '127.0.0.1', servername: 'a.sites.example', rejectUnauthorized: false }
const http1 = { ALPNProtocols: ['http/1.1'] }
const http2 = { ALPNProtocols: ['h2'] }
const request = 'GET / HTTP/1.1\r\nhost: a.sites.example\r\n'

let body: string
/** Has the inner server answer. */
let answer: () => void
let asked: Promise<void>
let inner: Bun.Server<undefined>
let gate: ConnectionGate
let limits: { -readonly [limit in keyof typeof defaultPipeLimits]: number }
let listener: TlsListener
const clients: TLSSocket[] = []

beforeEach(() => {
  const answering = Promise.withResolvers<void>()
  const asking = Promise.withResolvers<void>()
  body = 'hello'
  answer = answering.resolve
  asked = asking.promise
  limits = { ...defaultPipeLimits }
  inner = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 0,
    async fetch() {
      asking.resolve()
      await answering.promise
      return new Response(body)
    },
  })
  gate = new ConnectionGate({ trustedProxies: [], now: () => performance.now() })
  listener = listenTls({
    host: '127.0.0.1',
    port: 0,
    gate,
    log: recordingLog([]),
    accept: (connection) => new Http1Pipe(inner.port ?? 0, unexpected, limits).accept(connection),
    contexts: { contextOf: () => context, isWaiting: false },
    onHandshake: () => undefined,
  })
})
afterEach(async () => {
  for (const client of clients.splice(0)) client.destroy()
  await listener[Symbol.asyncDispose]()
  await inner.stop(true)
})

/** A client that has closed its side after what it sent. */
async function halfClosed(sent: string, options = http1): Promise<TLSSocket> {
  const { promise, resolve, reject } = Promise.withResolvers<TLSSocket>()
  const to = { ...tlsTo, ...options, port: listener.port, allowHalfOpen: true }
  const client = connectTls(to, () => client.end(sent, () => resolve(client)))
  clients.push(client)
  client.on('error', reject)
  return await promise
}

/** What is sent to the listener now comes after what was sent before. */
async function visitAfterwards(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const client = connectTls({ ...tlsTo, ...http2, port: listener.port }, resolve)
  clients.push(client)
  await promise
  client.destroy()
}

async function textOf(client: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = []
  for await (const chunk of client) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

const allClosed = () =>
  eventually(async () => {
    expect(gate.total.connections).toBe(0)
    expect(inner.pendingRequests).toBe(0)
  })

describe('a client that closes its side after its request', () => {
  const heads: [what: string, head: string][] = [
    ['HTTP/1.1', `${request}\r\n`],
    ['HTTP/1.1 with connection: close', `${request}connection: close\r\n\r\n`],
    ['HTTP/1.0', 'GET / HTTP/1.0\r\n\r\n'],
  ]
  test.each(heads)('gets the answer, and its connection ends: %s', async (_, head) => {
    limits.answeredMsMax = 20
    const client = await halfClosed(head)
    await asked
    await visitAfterwards()
    answer()
    expect(await textOf(client)).toEndWith('\r\n\r\nhello')
    await allClosed()
  })

  test('gets all of a large answer, though it reads late', async () => {
    body = 'x'.repeat(10_000_000)
    const client = await halfClosed(`${request}connection: close\r\n\r\n`)
    client.pause()
    answer()
    await eventually(async () => expect(client.readableLength).toBeGreaterThan(0))
    expect((await textOf(client)).length).toBeGreaterThan(body.length)
    await allClosed()
  })

  test('waits for no longer than the limit', async () => {
    limits.unansweredMsMax = 20
    const client = await halfClosed(`${request}\r\n`)
    await asked
    expect(await textOf(client)).toBe('')
    await allClosed()
  })

  test('gets the answer at port 80 too', async () => {
    using plain = listenPlain({
      host: '127.0.0.1',
      port: 0,
      gate: new ConnectionGate({ trustedProxies: [], now: () => performance.now() }),
      accept: new Http1Pipe(inner.port ?? 0, unexpected).accept,
    })
    const client = connect({ host: '127.0.0.1', port: plain.port, allowHalfOpen: true })
    client.end('GET / HTTP/1.0\r\n\r\n')
    await asked
    await visitAfterwards()
    answer()
    expect(await textOf(client)).toEndWith('\r\n\r\nhello')
  })
})

describe('nothing is left of a client', () => {
  test('that leaves before the answer, as soon as it comes', async () => {
    const client = await halfClosed(`${request}\r\n`)
    await asked
    client.destroy()
    await visitAfterwards()
    await eventually(async () => expect(gate.total.connections).toBe(1))
    body = 'x'.repeat(1_000_000)
    answer()
    await allClosed()
  })

  test('that leaves after its answer', async () => {
    limits.answeredMsMax = 20
    answer()
    const client = connectTls({ ...tlsTo, ...http1, port: listener.port })
    clients.push(client)
    client.write(`${request}\r\n`)
    client.once('data', () => client.end())
    await allClosed()
  })

  test('that closes its side of HTTP/2, which knows no half-closed connections', async () => {
    await halfClosed('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', http2)
    await allClosed()
  })

  test('that closes its side in place of a handshake', async () => {
    const client = connect({ host: '127.0.0.1', port: listener.port, allowHalfOpen: true })
    client.end()
    client.resume()
    await new Promise((closed) => client.once('close', closed))
    await allClosed()
  })

  test('no open file, of many that close their side', async () => {
    limits.answeredMsMax = 20
    answer()
    const openFiles = () => readdirSync('/proc/self/fd').length
    const before = openFiles()
    const texts = Array.from({ length: 40 }, async (_, at) =>
      textOf(await halfClosed(at % 2 === 0 ? `${request}\r\n` : 'GET / HTTP/1.0\r\n\r\n')),
    )
    for (const text of await Promise.all(texts)) expect(text).toEndWith('hello')
    await allClosed()
    await eventually(async () => expect(openFiles()).toBeLessThanOrEqual(before))
  })
})
