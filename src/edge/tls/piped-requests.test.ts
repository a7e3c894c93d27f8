import { afterAll, describe, expect, test } from 'bun:test'
import { connect } from 'node:http2'
import type { RequestServer } from '#http/client-address.ts'
import { unexpected } from '#tests/support/servers/unexpected.ts'
import { ConnectionGate } from './connection-gate.ts'
import { Http1Pipe } from './http1-pipe.ts'
import { Http2Pipe } from './http2-pipe.ts'
import { answerPiped } from './piped-requests.ts'
import { listenPlain, plainGateLimits } from './plain-listener.ts'
import type { AcceptConnection } from './secure-connection.ts'

const hsts = { 'strict-transport-security': 'max-age=1' }
type Pipe = Parameters<typeof answerPiped>[0]['pipe']
const fetchOf = (pipe: Pipe) =>
  answerPiped({
    answer: async (request, server) =>
      new Response(
        server.requestIP(request)?.address,
        request.url.endsWith('/own') ? { headers: hsts } : {},
      ),
    hstsSeconds: 60,
    pipe,
  })
const common = { hostname: '127.0.0.1', port: 0, development: false }

const byPort = new Http1Pipe(0, unexpected)
const inner = Bun.serve({ ...common, fetch: fetchOf(byPort) })
byPort.leadTo(inner.port ?? 0)

const byField = new Http2Pipe({ onConnectFailed: unexpected, trustedProxies: [] })
const innerHttp2 = Bun.serve({ ...common, fetch: fetchOf(byField), http1: false, http2: true })
byField.leadTo({ hostname: '127.0.0.1', port: innerHttp2.port ?? 0 })

/** Plain TCP in place of TLS. */
const listen = (accept: AcceptConnection, isHttp2: boolean) =>
  listenPlain({
    host: '127.0.0.1',
    port: 0,
    gate: new ConnectionGate({ trustedProxies: [], limits: plainGateLimits, now: () => 0 }),
    accept: ({ socket }) =>
      accept({ socket, isHttp2, visitor: { address: '192.0.2.7', serverName: 'blog.example' } }),
  })
const outer = listen(byPort.accept, false)
const outerHttp2 = listen(byField.accept, true)
afterAll(async () => {
  for (const server of [inner, innerHttp2]) await server.stop(true)
  for (const listener of [outer, outerHttp2]) listener[Symbol.dispose]()
})

/** Status, `Strict-Transport-Security` and text of an answer. */
type Asked = readonly [status: number, hsts: string | null, text: string]

async function ask(at: number | undefined, path = '/', host = 'blog.example'): Promise<Asked> {
  const answer = await fetch(`http://127.0.0.1:${at}${path}`, { headers: { host } })
  return [answer.status, answer.headers.get('strict-transport-security'), await answer.text()]
}

async function askHttp2(at: number, path = '/', host = 'blog.example'): Promise<Asked> {
  const session = connect(`http://127.0.0.1:${at}`)
  const { promise, resolve, reject } = Promise.withResolvers<Asked>()
  session.on('error', reject)
  const request = session.request({ ':path': path, ':authority': host })
  request.on('error', reject)
  request.on('response', async (fields) => {
    const text = await Array.fromAsync(request, String)
    const hsts = fields['strict-transport-security'] ?? null
    resolve([Number(fields[':status']), hsts === null ? null : String(hsts), text.join('')])
  })
  request.end()
  return await promise.finally(() => session.destroy())
}

const ways = [
  { name: 'HTTP/1.1', at: outer.port, inside: inner.port ?? 0, ask },
  { name: 'HTTP/2', at: outerHttp2.port, inside: innerHttp2.port ?? 0, ask: askHttp2 },
]

describe.each(ways)('$name', ({ ask, at, inside }) => {
  test('only what came through the pipe is answered, as from its visitor', async () => {
    expect(await ask(at)).toEqual([200, 'max-age=60', '192.0.2.7'])
    expect(await ask(inside)).toEqual([403, null, ''])
  })

  test('only for the host of the handshake', async () => {
    const [status] = await ask(at, '/', 'Blog.Example.:8443')
    expect(status).toBe(200)
    const [other] = await ask(at, '/', 'shop.example')
    expect(other).toBe(421)
  })

  test('every answer has HSTS, unless the site has its own', async () => {
    const [, own] = await ask(at, '/own')
    expect(own).toBe('max-age=1')
    const [, misdirected] = await ask(at, '/', 'shop.example')
    expect(misdirected).toBe('max-age=60')
  })
})

test('where a network has too many requests in progress, no answer of its visitors may keep a file open', async () => {
  const visitor = { address: '192.0.2.7', serverName: 'blog.example' }
  const server = { port: 1, requestIP: () => null, timeout: () => undefined }
  const request = new Request('http://blog.example/', { headers: { host: 'blog.example' } })
  const answered = async (pipe: Pipe) => {
    const answer = (asked: Request, { canOpenFile }: RequestServer) =>
      new Response(String(canOpenFile?.(asked)))
    return await (await answerPiped({ answer, hstsSeconds: 60, pipe })(request, server)).text()
  }
  const visitorOf = () => visitor
  expect(await answered({ visitorOf })).toBe('true')
  expect(await answered({ visitorOf, isCrowded: () => false })).toBe('true')
  expect(await answered({ visitorOf, isCrowded: () => true })).toBe('false')
})
