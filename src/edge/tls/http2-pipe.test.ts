import { afterAll, expect, test } from 'bun:test'
import { type ClientHttp2Session, connect, type OutgoingHttpHeaders } from 'node:http2'
import { connect as connectTcp } from 'node:net'
import { parseTrustedProxies } from '#http/client-address.ts'
import { codeOf } from '#observe/code-of.ts'
import { eventually } from '#tests/support/eventually.ts'
import {
  exchange,
  flags,
  frame,
  getFields,
  literal,
  preface,
  types,
} from '#tests/support/visitors/http2-frames.ts'
import { ConnectionGate } from './connection-gate.ts'
import { connectionField, Http2Pipe } from './http2-pipe.ts'
import { listenPlain, plainGateLimits } from './plain-listener.ts'
import type { ConnectionHandler, SecureConnection, Visitor } from './secure-connection.ts'

const failures: unknown[] = []
const pipe = new Http2Pipe({
  onConnectFailed: (error) => failures.push(error),
  trustedProxies: [],
  streamLimits: { max: 40, perNetworkMax: 20 },
})
/** Of the connection on which the last request came. */
let lastToken = ''
/** Requests whose connection was known. */
let known = 0
const unix = `\0sitehost-test-${process.pid}`
/** At a Unix socket, as the product has it; Bun's types do not know these options of one. */
const serveAt = (unix: string, fetch: (request: Request) => Response | Promise<Response>) =>
  Bun.serve({
    ...{ unix, fetch, development: false, http1: false, http2: true },
  } as unknown as Bun.Serve.Options<undefined>)

async function answerOf(request: Request, { serverName }: Visitor): Promise<Response> {
  return new Response(`${serverName} ${(await request.bytes()).length}`)
}
/** Before anything else happens on its connection. */
const answerAtOnce = () => new Response('yes')
const inner = serveAt(unix, (request) => {
  lastToken = request.headers.get(connectionField) ?? ''
  const visitor = pipe.visitorOf(request)
  if (visitor === null) return new Response(null, { status: 403 })
  known++
  if (request.url.endsWith('/large')) return new Response(large)
  return request.url.endsWith('/read') ? answerOf(request, visitor) : answerAtOnce()
})
/** More than the windows of a connection take. */
const large = 'x'.repeat(1_000_000)
const withoutPipe = `${unix}-without`
const plain = serveAt(withoutPipe, answerAtOnce)
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
  for (const server of [inner, plain]) await server.stop(true)
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
  const request = session.request({
    ':method': body === '' ? 'GET' : 'POST',
    ':path': '/read',
    ...fields,
  })
  request.on('error', reject)
  request.on('response', async ({ ':status': status }) => {
    const text = await Array.fromAsync(request, String)
    resolve([Number(status), text.join('')])
  })
  request.end(body)
  return await promise
}

/** Of the connection, as the server knows it. */
const nameOf = ([, text]: readonly [number, string]): string | undefined => text.split(' ')[0]

test('requests of many streams are of the visitor of their connection', async () => {
  const first = connections
  const both = [open(), open()]
  const names = await Promise.all(both.map(async (session) => nameOf(await ask(session))))
  expect(names.toSorted()).toEqual([`c${first + 1}.example`, `c${first + 2}.example`])
  const large = 'x'.repeat(200_000)
  const long = { 'x-long': 'y'.repeat(3_000) }
  for (const [index, session] of both.entries()) {
    const asked = [ask(session), ask(session, {}, large), ask(session, long), ask(session)]
    const texts = new Set((await Promise.all(asked)).map(nameOf))
    expect(texts).toEqual(new Set([names[index]]))
  }
  expect(await ask(both[0] as ClientHttp2Session, {}, large)).toEqual([
    200,
    expect.stringContaining(' 200000'),
  ])
  expect(connections).toBe(first + 2)
})

test('a request whose client sends such a field itself is rejected', async () => {
  const session = open()
  expect(await ask(session)).toEqual([200, expect.any(String)])
  for (const token of [lastToken, 'made-up', '']) {
    expect(await ask(session, { [connectionField]: token })).toEqual([403, ''])
  }
})

test('the token of a closed connection is rejected', async () => {
  const session = open()
  await ask(session)
  const token = lastToken
  const direct = open({ unix })
  expect(await ask(direct, { [connectionField]: token })).toEqual([200, expect.any(String)])
  session.destroy()
  await eventually(async () =>
    expect(await ask(direct, { [connectionField]: token })).toEqual([403, '']),
  )
})

test('connections have tokens of their own, of 128 bits', async () => {
  const tokens = new Set<string>()
  for (let i = 0; i < 5; i++) {
    await ask(open())
    tokens.add(lastToken)
  }
  expect(tokens.size).toBe(5)
  for (const token of tokens) expect(Buffer.from(token, 'base64url')).toHaveLength(16)
})

/** Whether a request with this field block was taken for one of its connection. Resolves once the server has read it, or has ended the connection. */
async function isKnown(block: number[]): Promise<boolean> {
  const before = known
  await exchange(through, frame(types.headers, flags.endHeaders | flags.endStream, 1, block))
  return known > before
}

const through = { host: '127.0.0.1', port: outer.port }

test('a literal that swallows the inserted field leaves the request without a visitor', async () => {
  expect(await isKnown([...getFields, ...literal('x', 'abc')])).toBe(true)
  const forged = literal(connectionField, 'A'.repeat(22))
  for (let missing = 1; missing <= 60; missing++) {
    for (const before of [[], forged]) {
      const block = [...getFields, ...before, ...literal('x', 'abc', 3 + missing)]
      expect([missing, await isKnown(block)]).toEqual([missing, false])
    }
  }
})

test('a client of far more requests than it may have open is disconnected, and so is any without a server', async () => {
  const empty = frame(types.headers, flags.endHeaders, 1)
  const bytes = Buffer.concat(Array.from({ length: 5_000 }, () => empty))
  expect(await exchange(through, bytes)).toEqual([])
  pipe.leadTo(null)
  expect(await exchange(through, get(1))).toEqual([])
  pipe.leadTo({ unix })
  expect(await exchange(through, get(1))).not.toEqual([])
})

test('a client whose inner server cannot be reached is disconnected, and that is reported', async () => {
  const failed = failures.length
  for (const nowhere of [`${unix}-nowhere`, '/nowhere']) {
    pipe.leadTo({ unix: nowhere })
    expect(await exchange(through, get(1))).toEqual([])
  }
  pipe.leadTo({ unix })
  expect(failures.slice(failed).map(codeOf)).toEqual(['ECONNREFUSED', 'ENOENT'])
})

test('a network with too many answers in progress is crowded, until they end or its connections do', async () => {
  const visitor = { address: '192.0.2.7', serverName: 'any.example' }
  const neighbour = { address: '192.0.2.8', serverName: 'any.example' }
  await eventually(async () => expect(pipe.streams).toBe(0))
  // A client that takes nothing of its answers.
  const socket = connectTcp(outer.port, '127.0.0.1')
  socket.resume()
  const streams = Array.from({ length: 30 }, (_, index) => 2 * index + 1)
  const getLarge = [0x82, 0x86, 0x04, 6, ...Buffer.from('/large'), 0x01, 1, 0x61]
  socket.write(
    Buffer.concat([
      preface,
      frame(types.settings, 0, 0, [0, 4, 0, 0, 0, 0]),
      ...streams.map((stream) => frame(types.headers, whole, stream, getLarge)),
    ]),
  )
  await eventually(async () => expect(pipe.streams).toBe(30))
  expect([visitor, neighbour].map((each) => pipe.isCrowded(each))).toEqual([true, false])
  const left = streams.slice(0, 15)
  socket.write(Buffer.concat(left.map((stream) => frame(types.reset, 0, stream, [0, 0, 0, 8]))))
  await eventually(async () => expect(pipe.streams).toBe(15))
  expect(pipe.isCrowded(visitor)).toBe(false)
  const other = open()
  await ask(other)
  await eventually(async () => expect(pipe.streams).toBe(15))
  socket.destroy()
  await eventually(async () => expect(pipe.streams).toBe(0))
})

test('for a client that has left nothing is tried again', async () => {
  const failed = failures.length
  pipe.leadTo({ unix: `${unix}-nowhere` })
  const visitor = { address: '192.0.2.7', serverName: 'left.example' }
  let terminated = 0
  const socket = { terminate: () => terminated++ } as unknown as SecureConnection['socket']
  const accept = () => pipe.accept({ socket, visitor, isHttp2: true })
  const left = accept()
  accept()
  left.close()
  await eventually(async () => expect(terminated).toBe(1))
  pipe.leadTo({ unix })
  expect(failures.length).toBe(failed + 1)
})

test('more connections at once than the backlog of a socket holds are all answered', async () => {
  const count = 2_000
  const bytes = Buffer.concat([preface, frame(types.settings, 0, 0), get(1)])
  const { promise: settled, resolve } = Promise.withResolvers<void>()
  const answered = new Set<number>()
  let lost = 0
  for (let index = 0; index < count; index++) {
    const end = (): void => void (answered.size + lost === count && resolve())
    const socket = {
      ...{ pause: () => true, resume: () => true, shutdown() {}, close() {} },
      terminate() {
        lost++
        end()
      },
      write(more: Uint8Array) {
        if (Buffer.from(more).includes('yes')) answered.add(index)
        end()
        return more.length
      },
    } as unknown as SecureConnection['socket']
    const visitor = { address: '192.0.2.7', serverName: 'many.example' }
    handlers.push(pipe.accept({ socket, visitor, isHttp2: true }))
    handlers.at(-1)?.data(Buffer.from(bytes))
  }
  await settled
  for (const handler of handlers) handler.close()
  expect(lost).toBe(0)
}, 30_000)
const handlers: ConnectionHandler[] = []

const { endHeaders, endStream, padded, priority } = flags
const { continuation, data, goAway, headers, ping, pushPromise, reset } = types
const whole = endHeaders | endStream
const get = (stream: number) => frame(headers, whole, stream, getFields)
const post = [0x83, ...getFields.slice(1)]
const fields = (count: number) =>
  Array.from({ length: count }, (_, index) => literal(`x${index}`, 'abc')).flat()
const pieces = (count: number) => [
  frame(headers, endStream, 1, getFields),
  ...Array.from({ length: count }, (_, index) =>
    frame(continuation, index === count - 1 ? endHeaders : 0, 1, literal(`x${index}`, 'abc')),
  ),
]

/** First frames of a client: valid ones, and mistakes. */
const sequences: readonly (readonly [what: string, ...frames: Buffer[]])[] = [
  ['two requests', get(1), get(3)],
  ['a body', frame(headers, endHeaders, 1, post), frame(data, endStream, 1, 'abc')],
  [
    'trailers',
    ...[frame(headers, endHeaders, 1, post), frame(data, 0, 1, 'abc')],
    frame(headers, whole, 1, literal('x', 'abc')),
  ],
  [
    'padding and a priority',
    frame(headers, whole | padded | priority, 1, [2, 0, 0, 0, 0, 15, ...getFields, 0, 0]),
  ],
  ['a reserved bit', frame(headers, whole, 0x80000001, getFields)],
  ['a field block in several frames', ...pieces(5)],
  [
    'a field block that ends with an empty frame',
    frame(headers, endStream, 1, getFields),
    frame(continuation, endHeaders, 1),
  ],
  ['as many frames as a field block may have', ...pieces(30)],
  ['far more frames', ...pieces(40)],
  ['many fields', frame(headers, whole, 1, [...getFields, ...fields(110)])],
  ['too many fields', frame(headers, whole, 1, [...getFields, ...fields(400)])],
  ['a frame of an unknown type', frame(77, 0xff, 1, 'x'), get(1)],
  ['no stream', get(0)],
  ['a stream of the server', get(2)],
  ['streams out of order', get(5), get(3)],
  ['a stream that has ended', get(1), get(1)],
  ['a promise', frame(pushPromise, endHeaders, 1, [0, 0, 0, 2, ...getFields])],
  ['the end of no field block', frame(continuation, endHeaders, 1, getFields)],
  ['another end of a field block', get(1), frame(continuation, endHeaders, 1, literal('x', 'abc'))],
  [
    'a frame within a field block',
    ...[frame(headers, endStream, 1, getFields), frame(ping, 0, 0, '12345678')],
    frame(continuation, endHeaders, 1),
  ],
  ['no fields', frame(headers, whole, 1)],
  ['a table that is made smaller', frame(headers, whole, 1, [0x20, ...getFields])],
  ['a code that is cut', frame(headers, whole, 1, [...getFields, 0, 1, 0x78, 0x82, 0xff])],
  ['a frame that is too long', frame(headers, whole, 1, [...getFields, ...fields(3_000)])],
  ['a request that is given up', get(1), frame(reset, 0, 1, [0, 0, 0, 8])],
  ['the last of a client', frame(goAway, 0, 0, [0, 0, 0, 0, 0, 0, 0, 0]), get(1)],
]

test.each(sequences)('answers as without the pipe: %s', async (_, ...frames) => {
  const bytes = Buffer.concat(frames)
  const answers = await exchange({ path: withoutPipe }, bytes)
  expect(answers).not.toEqual([])
  expect(await exchange(through, bytes)).toEqual(answers)
})
