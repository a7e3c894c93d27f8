import { afterAll, expect, test } from 'bun:test'
import { ConnectionGate } from './connection-gate.ts'
import { InnerPipe } from './inner-pipe.ts'
import { answerPiped } from './piped-requests.ts'
import { listenPlain, plainGateLimits } from './plain-listener.ts'

const pipe = new InnerPipe(0)
const hsts = { 'strict-transport-security': 'max-age=1' }
const fetchInside = answerPiped({
  answer: async (request, server) =>
    new Response(
      server.requestIP(request)?.address,
      request.url.endsWith('/own') ? { headers: hsts } : {},
    ),
  hstsSeconds: 60,
  pipe,
})
const inner = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: fetchInside })
pipe.leadTo(inner.port ?? 0)
// Plain TCP in place of TLS.
const outer = listenPlain({
  host: '127.0.0.1',
  port: 0,
  gate: new ConnectionGate({ trustedProxies: [], limits: plainGateLimits, now: () => 0 }),
  accept: ({ socket }) =>
    pipe.accept({
      socket,
      isHttp2: true,
      visitor: { address: '192.0.2.7', serverName: 'blog.example' },
    }),
})
afterAll(async () => {
  await inner.stop(true)
  outer[Symbol.dispose]()
})

const ask = (at: number | undefined, path = '/', host = 'blog.example') =>
  fetch(`http://127.0.0.1:${at}${path}`, { headers: { host } })

test('only what came through the pipe is answered, as from its visitor', async () => {
  const piped = await ask(outer.port)
  expect([piped.status, await piped.text()]).toEqual([200, '192.0.2.7'])
  const direct = await ask(inner.port)
  expect([direct.status, await direct.text()]).toEqual([403, ''])
})

test('not at another address of loopback with the port of a visitor', async () => {
  const visitorAt = () => ({ address: '192.0.2.7', serverName: 'blog.example' })
  const answer = answerPiped({
    answer: () => new Response('yes'),
    hstsSeconds: 0,
    pipe: { visitorAt },
  })
  const statusFrom = async (address: string) => {
    const requestIP = () => ({ address, port: 4000, family: 'IPv4' as const })
    const request = new Request('http://blog.example', { headers: { host: 'blog.example' } })
    return (await answer(request, { port: 3000, requestIP, timeout: () => undefined })).status
  }
  expect([await statusFrom('127.0.0.1'), await statusFrom('127.0.0.2')]).toEqual([200, 403])
})

test('only for the host of the handshake', async () => {
  expect((await ask(outer.port, '/', 'Blog.Example.:8443')).status).toBe(200)
  expect((await ask(outer.port, '/', 'shop.example')).status).toBe(421)
})

test('every answer has HSTS, unless the site has its own', async () => {
  const hstsOf = async (...at: Parameters<typeof ask>) =>
    (await ask(...at)).headers.get('strict-transport-security')
  expect(await hstsOf(outer.port)).toBe('max-age=60')
  expect(await hstsOf(outer.port, '/own')).toBe('max-age=1')
  expect(await hstsOf(outer.port, '/', 'shop.example')).toBe('max-age=60')
})
