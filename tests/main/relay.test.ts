import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Answer } from '#edge/dispatch.ts'
import { relayTo } from '#main/relay/relay.ts'
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
const log = { debug: silent, info: silent, warn: silent, error: silent }
beforeEach(async () => {
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
  const relay = relayTo({
    ...{ log, placeOf, stopping: stopping.signal, waitMsMax: 60_000 },
    failure: 'not answered',
    unanswered: () => new Response('nobody', { status: 503 }),
  })
  const front = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: relay })
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

test('of a core that dies, what only reads is asked again, and what may have changed something is not', async () => {
  await startCore()
  for (const [method, status] of [
    ['GET', 200],
    ['POST', 503],
  ] as const) {
    const begun = Promise.withResolvers<void>()
    answer = () => {
      begun.resolve()
      return new Promise(() => {})
    }
    const asked = ask('/', { method })
    await begun.promise
    await core?.[Symbol.asyncDispose]()
    answer = () => new Response('core')
    await startCore()
    const { headers, status: given } = await asked
    expect([method, given]).toEqual([method, status])
    expect(headers.has('retry-after')).toBe(status === 503)
  }
})

test('a service that stops waits for no core', async () => {
  stopping.abort()
  expect((await ask('/')).status).toBe(503)
})

test('what comes from the instance itself has no peer', async () => {
  await startCore()
  const unix = coreSocketIn(folder)
  expect(await (await fetch('http://core/discover', { unix })).text()).toBe('own')
})
