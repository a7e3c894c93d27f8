import { afterAll, afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { rm } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import type { Answer } from '#edge/dispatch.ts'
import { answerVisitor } from '#edge/edge.ts'
import { recordingLog } from '#tests/support/api.ts'
import { eventually } from '#tests/support/eventually.ts'
import { unexpected } from '#tests/support/servers/unexpected.ts'
import { visitedSite } from '#tests/support/visitors/edge.ts'
import { ConnectionGate } from './connection-gate.ts'
import { DirectRequests } from './direct-requests.ts'
import { Http1Pipe } from './http1-pipe.ts'
import { answerPiped } from './piped-requests.ts'
import { listenPlain, plainGateLimits } from './plain-listener.ts'
import { requestReader } from './read-request.ts'
import type { AcceptConnection, SecureConnection } from './secure-connection.ts'
import { SerializedAnswers, serializedBodyBytesMax } from './serialized-answers.ts'

// Each connection is answered as the inner server answers it, whichever way it takes. Plain TCP in place of TLS.

const host = 'blog.example'
const site = visitedSite(
  {
    'index.html': { body: '<h1>hello</h1>'.repeat(100), gzip: true },
    'a b.txt': { body: 'spaces', contentType: 'text/plain' },
    'large.bin': { body: 'x'.repeat(100_000), contentType: 'application/octet-stream' },
    '404.html': { body: 'nothing here' },
    'kept.bin': { body: 'k'.repeat(serializedBodyBytesMax), contentType: 'application/x-k' },
    'over.bin': { body: 'o'.repeat(serializedBodyBytesMax + 1), contentType: 'application/x-o' },
    'small.bin': { body: 'y'.repeat(60_000), contentType: 'application/octet-stream' },
  },
  {
    headers:
      '/small.bin\n  Strict-Transport-Security: max-age=1\n  X-Name: é\n  Set-Cookie: a=1\n  Set-Cookie: b=2\n',
    redirects: '/old /small.bin 302\n',
  },
)
let answered: Request[] = []
/** What each asks for. */
let asked: unknown[][] = []
let served = (request: Request): Response | Promise<Response> => {
  const at = { kind: 'site', host, label: 'none', isUnderBaseDomain: true, shows: 'live' } as const
  const context = { ...site.context, countryOf: () => null, now: () => 0 }
  return answerVisitor(at, request, site.known, context)
}
const ofSite = served
let addresses: (string | undefined)[] = []
const answer: Answer = (request, server) => {
  answered.push(request)
  asked.push([
    request.method,
    new URL(request.url).pathname,
    new URL(request.url).search,
    ...request.headers,
  ])
  addresses.push(server.requestIP(request)?.address)
  return served(request)
}
const altSvcOf = (): string => 'h3=":443"'
let now = Date.UTC(2026, 0, 1)

const pipe = new Http1Pipe(0, unexpected)
const inner = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  development: false,
  fetch: answerPiped({ answer, pipe, hstsSeconds: 60, altSvcOf }),
})
pipe.leadTo(inner.port ?? 0)
let passed = 0
/** Also those of a test before, which end late. */
const closed = new Set<SecureConnection>()
const passOn: AcceptConnection = (connection) => {
  passed++
  return pipe.accept(connection)
}
const read = requestReader()
if (read === null) throw new Error('Bun has no llhttp')
const open = (limits: { idleMsMax?: number } = {}) =>
  new DirectRequests({
    ...{ altSvcOf, answer, log: recordingLog([]), passOn, read, ...limits },
    isDirect: (name) => name === host,
    serialized: new SerializedAnswers({ hstsSeconds: 60, now: () => now }),
  })
let direct = open()
let connections: SecureConnection[] = []
/** All come from one network. */
const gateLimits = { ...plainGateLimits, ratePerNetwork: { count: 10_000, windowMs: 1_000 } }
const listen = (accept: AcceptConnection) =>
  listenPlain({
    host: '127.0.0.1',
    port: 0,
    gate: new ConnectionGate({ trustedProxies: [], limits: gateLimits, now: () => 0 }),
    accept({ socket }) {
      const visitor = { address: '192.0.2.7', serverName: host }
      const connection = { socket, visitor, isHttp2: false }
      connections.push(connection)
      const handler = accept(connection)
      return {
        data: (bytes) => handler.data(bytes),
        drain: () => handler.drain(),
        end: () => handler.end(),
        close() {
          closed.add(connection)
          handler.close()
        },
      }
    },
  })
const here = listen((connection) => direct.accept(connection))
const byPipe = listen(passOn)

beforeEach(async () => {
  served = ofSite
  now = Date.UTC(2026, 0, 1)
  direct = open()
  // In memory from here on, in the codings that are asked for.
  for (const path of [
    '/',
    '/none',
    '/kept.bin',
    '/over.bin',
    '/small.bin',
    '/a%20b.txt',
    '/large.bin',
  ]) {
    for (const coding of ['gzip', 'identity']) {
      const headers = { 'accept-encoding': coding }
      await (await ofSite(new Request(`http://${host}${path}`, { headers }))).bytes()
    }
  }
  ;[answered, asked, addresses, connections, passed] = [[], [], [], [], 0]
})
const sockets = new Set<Socket>()
afterEach(() => {
  for (const socket of sockets) socket.destroy()
  sockets.clear()
})
afterAll(async () => {
  await inner.stop(true)
  here[Symbol.dispose]()
  byPipe[Symbol.dispose]()
  await rm(site.scratch, { recursive: true, force: true })
})

/** A connection that collects what comes. */
function dial(port: number) {
  const socket = connect(port, '127.0.0.1')
  sockets.add(socket)
  const got = { text: '', isClosed: false }
  socket.setEncoding('latin1')
  socket.on('data', (text) => {
    got.text += text
  })
  socket.on('close', () => {
    got.isClosed = true
  })
  socket.on('error', () => undefined)
  return { socket, got }
}

/** Sends the pieces, each when the answers to those before are there; all answers. */
async function talk(port: number, pieces: readonly string[], answers: number): Promise<string> {
  const { got, socket } = dial(port)
  for (const [index, piece] of pieces.entries()) {
    socket.write(piece, 'latin1')
    const wanted = index === pieces.length - 1 ? answers : index + 1
    await eventually(async () =>
      expect(endsAfter(got.text) >= wanted || got.isClosed, got.text).toBe(true),
    )
  }
  return got.text
}

/** How many whole answers these are. */
function endsAfter(text: string): number {
  let [count, rest] = [0, text]
  for (;;) {
    const end = rest.indexOf('\r\n\r\n')
    if (end === -1) return count
    const length = /\r\ncontent-length: (\d+)/i.exec(rest.slice(0, end))?.[1]
    const isHead = rest.startsWith('HTTP/1.1 304')
    const bytes = isHead ? 0 : Number(length ?? 0)
    if (rest.length < end + 4 + bytes) return count
    rest = rest.slice(end + 4 + bytes)
    count++
  }
}

/** Lines in an order of their own, each second the same. */
const comparable = (text: string): string =>
  text
    .replace(/\r\ndate: [^\r]*/gi, '')
    .split(/(?=HTTP\/1\.1 )/)
    .map((one) => {
      const end = one.indexOf('\r\n\r\n')
      const [status, ...fields] = one.slice(0, end).split('\r\n')
      const ordered = fields.map((field) => field.replace(/^[^:]*/, (name) => name.toLowerCase()))
      return [status, ...ordered.toSorted(), '', one.slice(end + 4)].join('\n')
    })
    .join('')

const get = (path: string, ...fields: string[]): string =>
  `GET ${path} HTTP/1.1\r\n${[`Host: ${host}`, ...fields].join('\r\n')}\r\n\r\n`
const gzip = 'Accept-Encoding: gzip'
const page = get('/', gzip)
const etag = async (): Promise<string> => {
  const headers = { 'accept-encoding': 'gzip' }
  return (await ofSite(new Request(`http://${host}/`, { headers }))).headers.get('etag') ?? ''
}

interface Row {
  readonly pieces: readonly string[]
  /** How many are awaited. */
  readonly answers: number
  readonly isPassed: boolean
}
const row = (isPassed: boolean, answers: number, ...pieces: string[]): Row => ({
  ...{ pieces, answers, isPassed },
})

/** Beside the host. */
const fieldsOf = (count: number) => Array.from({ length: count }, (_, i) => `X-${i}: a`)

/** More than come. */
const untilClosed = 99

describe('what is answered on the connection, and what is passed on', () => {
  test.each<[string, Row]>([
    ['a page', row(false, 1, page)],
    ['several, one after the other', row(false, 3, page, get('/small.bin'), page)],
    ['the host in capitals, and a port', row(false, 1, page.replace(host, 'BLOG.example:8443'))],
    ['a query', row(false, 1, get('/?a=b&c'))],
    ['an encoded path', row(false, 1, get('/a%20b.txt'))],
    ['a path that browsers shorten', row(false, 1, get('/x/../small.bin'))],
    ['a field of the site’s own in place of ours', row(false, 1, get('/small.bin'))],
    ['a body that is not sent as it is kept', row(true, 1, get('/large.bin'))],
    ['a part', row(true, 1, get('/small.bin', 'Range: bytes=2-5'))],
    ['a path that leads to the site’s own 404', row(false, 1, get('/none'))],
    ['a redirect', row(true, 1, get('/old'))],
    ['characters that no address has', row(false, 1, get('/a"b<c>|[^`{}\\x'))],
    ['a broken code in a path', row(true, 1, get('/%zz%'))],
    ['a field with a tab', row(false, 1, get('/', 'X-Name: a\tb'))],
    [
      'a field twice',
      row(false, 1, get('/', 'Accept: a', 'Accept: b', 'Cookie: a=1', 'Cookie: b=2')),
    ],
    ['a field without a value', row(false, 1, get('/', 'X-Name:'))],
    ['odd names of fields', row(false, 1, get('/', "!#$%&'*+-.^_`|~: a"))],
    ['a control character in a field', row(true, 1, get('/', 'X-Name: a\u0001b'))],
    ['a control character in a path', row(true, 1, get('/a\u007f'))],
    ['a fragment', row(true, 1, get('/a#b'))],
    ['a file by its name', row(false, 1, get('/index.html'))],
    ['two slashes', row(false, 1, get('//small.bin'))],
    ['HEAD', row(true, untilClosed, get('/', 'Connection: close').replace('GET', 'HEAD'))],
    [
      'a body',
      row(true, 1, `${page.replace('GET', 'POST').slice(0, -2)}Content-Length: 2\r\n\r\nhi`),
    ],
    ['GET with a body', row(true, 1, `${page.slice(0, -2)}Content-Length: 2\r\n\r\nhi`)],
    [
      'a body in chunks',
      row(true, 1, `${page.slice(0, -2)}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n`),
    ],
    [
      'both lengths',
      row(
        true,
        1,
        `${page.slice(0, -2)}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      ),
    ],
    ['two at once', row(true, 2, page + get('/small.bin'))],
    ['one and the first letter of the next', row(true, 2, `${page}G`, page.slice(1))],
    ['one and half of the next', row(true, 2, page + page.slice(0, 20), page.slice(20))],
    [
      'one and the next without its last line break',
      row(true, 2, page + page.slice(0, -2), '\r\n'),
    ],
    [
      'one and the head of the next, whose body looks like a request',
      row(
        true,
        2,
        `${page}POST / HTTP/1.1\r\nHost: ${host}\r\nContent-Length: ${page.length}\r\n`,
        `\r\n${page}`,
      ),
    ],
    ['a line break after it', row(true, untilClosed, `${page}\r\n`)],
    ['a line break before it', row(true, untilClosed, `\r\n${page}`)],
    ['two spaces before the path', row(true, untilClosed, page.replace('GET ', 'GET  '))],
    ['two spaces before the version', row(true, untilClosed, page.replace(' HTTP', '  HTTP'))],
    ['one, and two at once', row(true, 3, page, page + get('/small.bin'))],
    ['the last one', row(true, 1, get('/', 'Connection: close'))],
    ['HTTP/1.0', row(true, 1, page.replace('HTTP/1.1', 'HTTP/1.0'))],
    ['another host', row(true, 1, page.replace(host, 'shop.example'))],
    ['two hosts', row(true, 1, get('/', 'Host: shop.example'))],
    ['two equal hosts', row(true, 1, get('/', `Host: ${host}`))],
    ['no host', row(true, 1, 'GET / HTTP/1.1\r\nAccept: */*\r\n\r\n')],
    ['a whole address', row(true, 1, page.replace('/', `http://${host}/`))],
    ['more than ASCII', row(true, 1, get('/', 'X-Name: \u00e9'))],
    ['a folded field', row(true, 1, get('/', 'X-Name: a', ' b'))],
    ['a space before a colon', row(true, 1, get('/', 'X-Name : a'))],
    ['an upgrade', row(true, 1, get('/', 'Connection: upgrade', 'Upgrade: websocket'))],
    ['as many fields as are read here', row(false, 1, get('/', ...fieldsOf(30)))],
    ['one more', row(true, 1, get('/', ...fieldsOf(31)))],
    ['a body of the size that is kept', row(false, 1, get('/kept.bin'))],
    ['one of a byte more', row(true, 1, get('/over.bin'))],
    ['no HTTP', row(true, untilClosed, 'hello\r\n\r\n')],
  ])('%s', async (_, { answers, isPassed, pieces }) => {
    const expected = await talk(byPipe.port, pieces, answers)
    const askedByPipe = asked
    ;[asked, passed] = [[], 0]
    for (let round = 0; round < 2; round++) {
      expect(comparable(await talk(here.port, pieces, answers))).toBe(comparable(expected))
      expect(passed).toBe(isPassed ? round + 1 : 0)
    }
    // Each is asked for once, and as it was sent.
    expect(asked).toEqual([...askedByPipe, ...askedByPipe])
    for (const address of addresses) expect(address).toBe('192.0.2.7')
  })

  test('a condition', async () => {
    const conditional = get('/', gzip, `If-None-Match: ${await etag()}`)
    const expected = await talk(byPipe.port, [conditional, page], 2)
    passed = 0
    const text = await talk(here.port, [conditional, page], 2)
    expect(text).toStartWith('HTTP/1.1 304 ')
    expect([comparable(text), passed]).toEqual([comparable(expected), 0])
  })

  test('a request in two pieces', async () => {
    const { got, socket } = dial(here.port)
    socket.write(page.slice(0, 20))
    await eventually(async () => expect(passed).toBe(1))
    socket.write(page.slice(20))
    await eventually(async () => expect(endsAfter(got.text)).toBe(1))
    expect(got.text).toStartWith('HTTP/1.1 200 ')
  })

  test('an answer that is not there at once', async () => {
    const held = Promise.withResolvers<void>()
    served = async (request) => {
      await held.promise
      return ofSite(request)
    }
    const { got, socket } = dial(here.port)
    socket.write(page)
    await eventually(async () => expect([passed, answered.length]).toEqual([1, 1]))
    held.resolve()
    await eventually(async () => expect(endsAfter(got.text)).toBe(1))
    expect(answered).toHaveLength(1)
  })

  test('other hosts, and HTTP/2', () => {
    const socket = {} as SecureConnection['socket']
    const visitor = { address: '192.0.2.7', serverName: host }
    let others = 0
    const handler = { data() {}, drain() {}, end() {}, close() {} }
    const apart = new DirectRequests({
      ...{
        altSvcOf,
        answer,
        log: recordingLog([]),
        read,
        isDirect: (name: string) => name === host,
      },
      serialized: new SerializedAnswers({ hstsSeconds: 60, now: () => now }),
      passOn: () => {
        others++
        return handler
      },
    })
    expect(apart.accept({ socket, visitor, isHttp2: true })).toBe(handler)
    const elsewhere = { ...visitor, serverName: 'app.example' }
    expect(apart.accept({ socket, visitor: elsewhere, isHttp2: false })).toBe(handler)
    expect(others).toBe(2)
  })
})

test('the date is that of the second, also of an answer that is kept', async () => {
  const dates: (string | undefined)[] = []
  for (const at of ['00:00:00', '00:00:00', '00:00:59', '23:00:00']) {
    now = Date.parse(`2026-02-03T${at}Z`)
    dates.push(/\r\ndate: ([^\r]*)/.exec(await talk(here.port, [page], 1))?.[1])
  }
  const day = 'Tue, 03 Feb 2026'
  const expected = ['00:00:00', '00:00:00', '00:00:59', '23:00:00'].map((at) => `${day} ${at} GMT`)
  expect(dates).toEqual(expected)
})

/** An answer that says when nobody wants it any more. */
function unwanted() {
  const ends: string[] = []
  const cancel = () => void ends.push('cancelled')
  const response = new Response(new ReadableStream({ cancel }))
  const request = { url: `http://${host}/made`, continueAs() {}, abort: () => ends.push('aborted') }
  return { ends, early: { request, response } }
}

test('an answer is for the request that it was made for: another one that arrives is answered anew', async () => {
  const { got, socket } = dial(here.port)
  await eventually(async () => expect(connections).toHaveLength(1))
  const [{ visitor }] = connections as [SecureConnection]
  const { early, ends } = unwanted()
  visitor.early = early
  socket.write(page.replace('HTTP/1.1', 'HTTP/1.0'))
  await eventually(async () => expect(got.isClosed).toBe(true))
  expect(got.text).toStartWith('HTTP/1.1 200 ')
  expect(ends).toEqual(['aborted', 'cancelled'])
})

test('an answer that the inner server has not taken ends with its connection', async () => {
  const { socket } = dial(here.port)
  await eventually(async () => expect(connections).toHaveLength(1))
  const [{ visitor }] = connections as [SecureConnection]
  const { early, ends } = unwanted()
  visitor.early = early
  socket.destroy()
  await eventually(async () => expect(ends).toEqual(['aborted', 'cancelled']))
})

describe('an answer that is not ready', () => {
  test('is aborted with its connection', async () => {
    const ends: boolean[] = []
    const held = Promise.withResolvers<void>()
    served = async ({ signal }) => {
      signal.addEventListener('abort', () => ends.push(true))
      await held.promise
      return new Response('late')
    }
    const { socket } = dial(here.port)
    socket.write(page)
    await eventually(async () => expect(answered).toHaveLength(1))
    // One that closes its side may still want its answer.
    socket.resetAndDestroy()
    await eventually(async () => expect(ends).toEqual([true]))
    held.resolve()
  })
})

describe('connections', () => {
  test('that are idle end', async () => {
    direct = open({ idleMsMax: 200 })
    const { got, socket } = dial(here.port)
    socket.write(page)
    await eventually(async () => expect(got.isClosed).toBe(true))
    expect(endsAfter(got.text)).toBe(1)
    const silent = dial(here.port)
    await eventually(async () => expect(silent.got.isClosed).toBe(true))
  })

  test('whose client takes nothing end; what others get is whole', async () => {
    direct = open({ idleMsMax: 200 })
    const { socket } = dial(here.port)
    socket.pause()
    // Until it is not read any more: what the system has room for is sent.
    const isClosed = () => connections.some((connection) => closed.has(connection))
    for (let sent = 1; !isClosed() && sent < 1_000; sent++) {
      socket.write(get('/small.bin'))
      await eventually(async () => expect(answered.length === sent || isClosed()).toBe(true))
    }
    expect([isClosed(), passed]).toEqual([true, 0])
    expect(await talk(here.port, [get('/small.bin')], 1)).toEndWith('y'.repeat(60_000))
  })

  test('between two requests end when the service stops', async () => {
    const { got, socket } = dial(here.port)
    socket.write(page)
    await eventually(async () => expect(endsAfter(got.text)).toBe(1))
    direct.stop()
    await eventually(async () => expect(got.isClosed).toBe(true))
    // The next ones go to whoever answers now.
    await talk(here.port, [page], 1)
    expect(passed).toBe(1)
  })

  test('whose answer is partly sent when the service stops get all of it, and end', async () => {
    const did: string[] = []
    let [room, sent] = [20, 0]
    const note = (what: string) => () => void did.push(what)
    const socket: SecureConnection['socket'] = {
      write(bytes) {
        const taken = Math.min(room, (bytes as Uint8Array).length)
        sent += taken
        return taken
      },
      ...{ close: note('close'), pause: note('pause'), resume: note('resume') },
      ...{ shutdown: note('shutdown'), terminate: note('terminate') },
    }
    const visitor = { address: '192.0.2.7', serverName: host }
    const connection = direct.accept({ socket, visitor, isHttp2: false })
    connection.data(Buffer.from(page))
    await eventually(async () => expect(sent).toBe(20))
    direct.stop()
    expect(did).toEqual([])
    room = 1_000_000
    connection.drain()
    expect(did).toEqual(['close'])
    expect(sent).toBe((await talk(byPipe.port, [page], 1)).length)
    connection.close()
  })

  test('whose client closes its side get their answer', async () => {
    const { got, socket } = dial(here.port)
    socket.end(page)
    await eventually(async () => expect(got.isClosed).toBe(true))
    expect(endsAfter(got.text)).toBe(1)
  })
})
