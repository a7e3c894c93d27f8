import { dlopen, ptr } from 'bun:ffi'
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Answer } from '#edge/dispatch.ts'
import { connectionField } from '#edge/tls/http2-pipe.ts'
import { type RelayPlace, relayTo } from '#main/relay/relay.ts'
import { type CoreSocket, coreSocketIn, openCoreSocket } from '#main/supervisor/core-socket.ts'
import { relayToCore } from '#main/supervisor/relay-to-core.ts'
import { ownPort } from '#tests/support/processes/own-port.ts'
import { rawRequest } from '#tests/support/visitors/raw-http.ts'

// What belongs to the application, from an edge process to the core of its instance.

let folder: string
let core: CoreSocket | null
let edge: Bun.Server<undefined>
let stopping: AbortController
let answer: Answer
const silent = () => undefined
let errors: string[]
const log = {
  ...{ debug: silent, info: silent, warn: silent },
  error: (message: string) => void errors.push(message),
}
beforeEach(async () => {
  errors = []
  folder = await mkdtemp(join(tmpdir(), 'relay-'))
  stopping = new AbortController()
  answer = () => new Response('core')
  core = null
  const relay = relayToCore({ folder, log, stopping: stopping.signal, waitMsMax: 60_000 })
  edge = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: relay })
})
afterEach(async () => {
  await edge.stop(true)
  await core?.[Symbol.asyncDispose]()
  await rm(folder, { recursive: true, force: true })
})

async function startCore(): Promise<void> {
  core = await openCoreSocket({
    folder,
    answer: (request, server) => answer(request, server),
    answerOwn: async () => new Response('own'),
  })
}

const ask = (path: string, init: RequestInit = {}) => fetch(new URL(path, edge.url), init)

test('a request arrives as it was sent, with its peer, and its answer as it was given', async () => {
  await startCore()
  answer = async (request, server) => {
    const { headers, method, url } = request
    const peer = server.requestIP(request)?.address
    const facts = { method, url, host: headers.get('host'), peer, body: await request.text() }
    return Response.json(facts, {
      status: 201,
      headers: [
        ['set-cookie', 'a=1'],
        ['set-cookie', 'b=2'],
      ],
    })
  }
  const answered = await ask('/a%2Fb?c=d', {
    method: 'PUT',
    headers: { host: 'app.example', 'sitehost-peer': '192.0.2.1' },
    body: 'sent',
  })
  expect(answered.status).toBe(201)
  expect(answered.headers.getSetCookie()).toEqual(['a=1', 'b=2'])
  expect(await answered.json()).toEqual({
    method: 'PUT',
    url: 'http://app.example/a%2Fb?c=d',
    host: 'app.example',
    peer: '127.0.0.1',
    body: 'sent',
  })
})

test('fields of the connection alone are not passed on', async () => {
  await startCore()
  answer = ({ headers }) => Response.json(headers.toJSON())
  const ofConnection =
    'connection: close, upgrade, x-kept\r\nupgrade: h2c\r\nkeep-alive: timeout=9\r\n'
  const head = `GET / HTTP/1.1\r\nhost: app.example\r\n${ofConnection}x-kept: 1\r\n\r\n`
  const { body } = await rawRequest(edge.port ?? 0, head)
  expect(body.toString()).toContain('"x-kept":"1"')
  expect(body.toString()).not.toMatch(/"connection"|upgrade|h2c|timeout/)
})

test('nobody but the edge process learns the token of a connection', async () => {
  await startCore()
  answer = (request) => new Response(request.headers.get(connectionField) ?? 'none')
  expect(await (await ask('/', { headers: { [connectionField]: 'token' } })).text()).toBe('none')
})

test('coded bodies, redirects and HEAD are the core’s', async () => {
  await startCore()
  const gzip = Bun.gzipSync('text')
  answer = ({ method, url }) => {
    if (url.endsWith('/moved')) return Response.redirect('/elsewhere', 302)
    const headers = { 'content-encoding': 'gzip', 'content-length': String(gzip.length) }
    return new Response(method === 'HEAD' ? null : gzip, { headers })
  }
  const coded = await ask('/', { decompress: false } as RequestInit)
  expect(await coded.bytes()).toEqual(gzip)
  expect((await ask('/moved', { redirect: 'manual' })).headers.get('location')).toBe('/elsewhere')
  const head = await ask('/', { method: 'HEAD' })
  expect(head.headers.get('content-length')).toBe(String(gzip.length))
})

test('a stream arrives while it is written, and the core learns that its reader has gone', async () => {
  await startCore()
  const gone = Promise.withResolvers<void>()
  answer = (request) => {
    request.signal.addEventListener('abort', () => gone.resolve())
    const body = new ReadableStream({ start: (stream) => stream.enqueue('data: 1\n\n') })
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
  }
  const stop = new AbortController()
  const events = (await ask('/', { signal: stop.signal })).body?.getReader()
  expect(new TextDecoder().decode((await events?.read())?.value)).toBe('data: 1\n\n')
  stop.abort()
  await gone.promise
})

test('an answer may come before the request has ended', async () => {
  await startCore()
  answer = () => new Response('too much', { status: 413 })
  const endless = new ReadableStream({ pull: (stream) => stream.enqueue(new Uint8Array(65_536)) })
  expect((await ask('/', { method: 'POST', body: endless })).status).toBe(413)
})

test('a request waits for the core, with its body', async () => {
  answer = async (request) => new Response(await request.text())
  const waiting = ask('/', { method: 'POST', body: 'kept' })
  await startCore()
  expect(await (await waiting).text()).toBe('kept')
})

test.each([
  ['a small body', 10],
  ['a large one', 5_000_000],
])('%s waits for a process at an address of the network', async (_, length) => {
  const port = Number(await ownPort())
  const attempts = 20
  let asked = 0
  await using opened = new AsyncDisposableStack()
  /** Nobody is there until the last time at which it is asked. */
  const placeOf = ({ url }: Request) => {
    asked++
    if (asked === attempts) {
      const there = Bun.serve({
        ...{ port, hostname: '127.0.0.1' },
        fetch: async (request) => new Response(String((await request.bytes()).length)),
      })
      opened.defer(() => there.stop(true))
    }
    return { url: `http://127.0.0.1:${port}${new URL(url).pathname}` }
  }
  const front = frontOf(placeOf)
  opened.defer(() => front.stop(true))
  const answered = await fetch(front.url, { method: 'PUT', body: new Uint8Array(length) })
  expect([answered.status, await answered.text()]).toEqual([200, String(length)])
  expect(asked).toBe(attempts)
})

test('a core that leaves answers those that have come, and the next one the others', async () => {
  await startCore()
  const left = core
  const begun = Promise.withResolvers<void>()
  const end = Promise.withResolvers<void>()
  answer = async () => {
    begun.resolve()
    await end.promise
    return new Response('first')
  }
  const first = ask('/')
  await begun.promise
  await left?.leave()
  const second = ask('/')
  answer = () => new Response('second')
  await startCore()
  expect(await (await second).text()).toBe('second')
  end.resolve()
  expect(await (await first).text()).toBe('first')
  await left?.idle(stopping.signal)
  await left?.[Symbol.asyncDispose]()
  expect(await (await ask('/')).text()).toBe('second')
})

const frontOf = (placeOf: (request: Request) => RelayPlace, waitMsMax = 60_000) => {
  const relay = relayTo({
    ...{ log, placeOf, stopping: stopping.signal, waitMsMax },
    failure: 'not answered',

    unreached: () => new Response('not reached', { status: 503 }),
    unanswered: () => new Response('not answered', { status: 502 }),
  })
  return Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: relay })
}

// TCP has no way to the broadcast address.
const noWay = { url: 'http://255.255.255.255:9/' }
const noSocket = { url: 'http://core/', unix: `/${'long'.repeat(99)}` }
test.each([
  ['to a network without a way there', null, noWay],
  ['to a socket that cannot be', null, noSocket],
  ['with a body, to a network without a way there', 'sent', noWay],
  ['with a body, to a socket that cannot be', 'sent', noSocket],
])('a request %s was not sent, and waits', async (_, body, away) => {
  await startCore()
  const here = { url: 'http://core/', unix: coreSocketIn(folder) }
  const places: RelayPlace[] = [away, here]
  await using front = frontOf(() => places.shift() ?? here)
  const answered = await fetch(front.url, { method: 'POST', body })
  expect([answered.status, await answered.text(), errors]).toEqual([200, 'core', []])
})

test('a connection that nobody accepts or refuses is not waited for longer than the request', async () => {
  using silentOne = await listenInSilence()
  const url = `http://127.0.0.1:${silentOne.port}/`
  await using front = frontOf(() => ({ url }), 100)
  const answered = await fetch(front.url, { method: 'POST', body: '1' })
  expect([answered.status, errors]).toEqual([503, []])
})

test('nor longer than a moment once the service stops', async () => {
  using silentOne = await listenInSilence()
  const url = `http://127.0.0.1:${silentOne.port}/`
  const asked = Promise.withResolvers<void>()
  await using front = frontOf(() => {
    asked.resolve()
    return { url }
  })
  const answering = fetch(front.url, { method: 'POST', body: '1' })
  await asked.promise
  stopping.abort()
  expect((await answering).status).toBe(503)
})

/** A port of which the system takes no more connections, and refuses none, as of a machine that is gone. */
async function listenInSilence() {
  const { close, symbols } = dlopen('libc.so.6', {
    socket: { args: ['i32', 'i32', 'i32'], returns: 'i32' },
    listen: { args: ['i32', 'i32'], returns: 'i32' },
    bind: { args: ['i32', 'ptr', 'u32'], returns: 'i32' },
    getsockname: { args: ['i32', 'ptr', 'ptr'], returns: 'i32' },
    close: { args: ['i32'], returns: 'i32' },
  })
  const inet = 2
  const stream = 1
  const descriptor = symbols.socket(inet, stream, 0)
  // struct sockaddr_in
  const address = new Uint8Array([inet, 0, 0, 0, 127, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0])
  expect(symbols.bind(descriptor, ptr(address), address.length)).toBe(0)
  expect(symbols.listen(descriptor, 0)).toBe(0)
  const length = new Uint32Array([address.length])
  expect(symbols.getsockname(descriptor, ptr(address), ptr(length))).toBe(0)
  const port = new DataView(address.buffer).getUint16(2)
  // Accepted by nobody, it fills the queue.
  const first = await Bun.connect({ hostname: '127.0.0.1', port, socket: { data: silent } })
  return {
    port,
    [Symbol.dispose]() {
      first.end()
      symbols.close(descriptor)
      close()
    },
  }
}

const carriedOut = [
  ['GET', '/', { status: 200, retryAfter: null }],
  ['PUT', '/', { status: 503, retryAfter: '5' }],
  ['DELETE', '/', { status: 503, retryAfter: '5' }],
  ['POST', '/api/deploys/an-id/commit', { status: 503, retryAfter: '5' }],
  ['POST', '/', { status: 502, retryAfter: null }],
] as const
test.each(carriedOut)(
  'of a core that dies, %s %s: what reads is asked again, and what may not be sent twice is not said to be unsent',
  async (method, path, expected) => {
    await startCore()
    const begun = Promise.withResolvers<void>()
    answer = () => {
      begun.resolve()
      return new Promise(() => {})
    }
    const asked = ask(path, { method })
    await begun.promise
    await core?.[Symbol.asyncDispose]()
    answer = () => new Response('core')
    await startCore()
    const { headers, status } = await asked
    expect({ status, retryAfter: headers.get('retry-after') }).toEqual(expected)
    expect(headers.has('x-sitehost-not-begun')).toBeFalse()
  },
)

test('a service that stops waits for no core, and says that it has not begun', async () => {
  stopping.abort()
  const { headers, status } = await ask('/', { method: 'POST', body: '1' })
  expect(status).toBe(503)
  expect(headers.get('retry-after')).toBe('5')
  expect(headers.get('x-sitehost-not-begun')).toBe('1')
})

test('what comes from the instance itself has no peer', async () => {
  await startCore()
  const unix = coreSocketIn(folder)
  expect(await (await fetch('http://core/discover', { unix })).text()).toBe('own')
})
