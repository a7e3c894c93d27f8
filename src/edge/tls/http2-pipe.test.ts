import { afterAll, expect, test } from 'bun:test'
import { type ClientHttp2Session, connect, type OutgoingHttpHeaders } from 'node:http2'
import { connect as connectTcp } from 'node:net'
import { parseTrustedProxies } from '#http/client-address.ts'
import { eventually } from '#tests/support/eventually.ts'
import { ConnectionGate } from './connection-gate.ts'
import { connectionField, Http2Pipe } from './http2-pipe.ts'
import { listenPlain, plainGateLimits } from './plain-listener.ts'

const pipe = new Http2Pipe()
/** The last name of a connection that a request came with. */
let lastName = ''
/** Requests whose connection was known. */
let known = 0
const unix = `\0sitehost-test-${process.pid}`
const inner = Bun.serve({
  ...{ unix, development: false, http1: false, http2: true },
  async fetch(request: Request) {
    lastName = request.headers.get(connectionField) ?? ''
    const visitor = pipe.visitorOf(request)
    if (visitor === null) return new Response(null, { status: 403 })
    known++
    return new Response(`${visitor.serverName} ${(await request.bytes()).length}`)
  },
} as unknown as Bun.Serve.Options<undefined>)
pipe.leadTo({ unix })

/** Networks have fewer connections than these tests. */
const trustedProxies = parseTrustedProxies('127.0.0.1') ?? []
let connections = 0
/** Plain TCP in place of TLS; the connections are numbered. */
const outer = listenPlain({
  host: '127.0.0.1',
  port: 0,
  gate: new ConnectionGate({ trustedProxies, limits: plainGateLimits, now: () => 0 }),
  accept: ({ socket }) => {
    const visitor = { address: '192.0.2.7', serverName: `c${++connections}.example` }
    return pipe.accept({ socket, visitor, isHttp2: true })
  },
})
const sessions: ClientHttp2Session[] = []
afterAll(async () => {
  for (const session of sessions) session.destroy()
  outer[Symbol.dispose]()
  await inner.stop(true)
})

function open(to: string | { unix: string } = `http://127.0.0.1:${outer.port}`) {
  const session =
    typeof to === 'string'
      ? connect(to)
      : connect('http://inside', { createConnection: () => connectTcp({ path: to.unix }) })
  sessions.push(session)
  session.on('error', () => undefined)
  return session
}

/** Status and text. */
async function ask(
  session: ClientHttp2Session,
  fields: OutgoingHttpHeaders = {},
  body = '',
): Promise<readonly [number, string]> {
  const { promise, resolve, reject } = Promise.withResolvers<readonly [number, string]>()
  const request = session.request({ ':method': body === '' ? 'GET' : 'POST', ...fields })
  request.on('error', reject)
  request.on('response', async ({ ':status': status }) => {
    const text = await Array.fromAsync(request, String)
    resolve([Number(status), text.join('')])
  })
  request.end(body)
  return await promise
}

test('requests of many streams are of the visitor of their connection', async () => {
  const first = connections
  const both = [open(), open()]
  await Promise.all(both.map((session) => ask(session)))
  const large = 'x'.repeat(200_000)
  const long = { 'x-long': 'y'.repeat(3_000) }
  for (const session of both) {
    const asked = [ask(session), ask(session, {}, large), ask(session, long), ask(session)]
    const texts = new Set((await Promise.all(asked)).map(([, text]) => text.split(' ')[0]))
    expect(texts.size).toBe(1)
  }
  expect(await ask(both[0] as ClientHttp2Session, {}, large)).toEqual([
    200,
    expect.stringContaining(' 200000'),
  ])
  expect(connections).toBe(first + 2)
})

test('a client that names a connection itself is refused', async () => {
  const session = open()
  expect(await ask(session)).toEqual([200, expect.any(String)])
  for (const name of [lastName, 'made-up', '']) {
    expect(await ask(session, { [connectionField]: name })).toEqual([403, ''])
  }
})

test('the name of a connection that has ended is nobody’s', async () => {
  const session = open()
  await ask(session)
  const name = lastName
  const direct = open({ unix })
  expect(await ask(direct, { [connectionField]: name })).toEqual([200, expect.any(String)])
  session.destroy()
  await eventually(async () =>
    expect(await ask(direct, { [connectionField]: name })).toEqual([403, '']),
  )
})

test('connections have names of their own, of 128 bits', async () => {
  const names = new Set<string>()
  for (let i = 0; i < 5; i++) {
    await ask(open())
    names.add(lastName)
  }
  expect(names.size).toBe(5)
  for (const name of names) expect(Buffer.from(name, 'base64url')).toHaveLength(16)
})

const preface = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0', 'latin1')
/** `:method: GET`, `:scheme: http`, `:path: /` and an authority. */
const request = [0x82, 0x86, 0x84, 0x01, 1, 0x61]
const literal = (name: string, value: string, bytes = value.length) => [
  ...[0x00, name.length, ...Buffer.from(name)],
  ...[bytes, ...Buffer.from(value)],
]

/** Whether a request with this list of fields was taken for one of its connection. Resolves once the server has read it, or has ended the connection. */
async function isKnown(list: number[]): Promise<boolean> {
  const before = known
  const socket = connectTcp(outer.port, '127.0.0.1')
  socket.on('error', () => undefined)
  const head = [0, 0, list.length, 1, 0x05, 0, 0, 0, 1]
  const ping = [0, 0, 8, 6, 0, 0, 0, 0, 0, ...Buffer.from('answered')]
  socket.write(Buffer.concat([preface, Buffer.from([...head, ...list, ...ping])]))
  let received = ''
  for await (const bytes of socket) {
    received += (bytes as Buffer).toString('latin1')
    if (received.includes('answered')) break
  }
  socket.destroy()
  return known > before
}

test('a field that takes the next one for a part of itself gives a request no other connection', async () => {
  expect(await isKnown([...request, ...literal('x', 'abc')])).toBe(true)
  const forged = literal(connectionField, 'A'.repeat(22))
  for (let missing = 1; missing <= 60; missing++) {
    for (const before of [[], forged]) {
      const list = [...request, ...before, ...literal('x', 'abc', 3 + missing)]
      expect([missing, await isKnown(list)]).toEqual([missing, false])
    }
  }
})
