import { expect, test } from 'bun:test'
import { Tally } from '#observe/tally.ts'
import { answerHttp3, type Http3End } from './answer-http3.ts'
import { RequestsInProgress } from './requests-in-progress.ts'

const visitor = { address: '2001:db8::1', family: 'IPv6', port: 1 } as const
const serverWith = (pendingRequests: number) => ({
  pendingRequests,
  requestIP: () => visitor,
  timeout: () => undefined,
})

function start() {
  const ends = new Tally<Http3End>()
  const held = Promise.withResolvers<void>()
  const requests = new RequestsInProgress({ max: 2, perNetworkMax: 1 })
  const answer = answerHttp3({
    answer: async (request) => {
      const { pathname } = new URL(request.url)
      if (pathname === '/broken') throw new Error('broken')
      if (pathname === '/held') await held.promise
      return new Response('answer', { headers: { 'content-length': '6' } })
    },
    covers: (host) => host === 'blog.example',
    hstsSeconds: 60,
    onRequest: (end) => ends.add(end),
    requests,
    stallMsMax: 60_000,
  })
  const ask = (path: string, { host = 'blog.example', pending = 0 } = {}) =>
    answer(new Request(`https://${host}${path}`, { headers: { host } }), serverWith(pending))
  return { ask, ends, held, requests }
}

test('a network has its requests in progress, and no more, until they are answered', async () => {
  const { ask, ends, held, requests } = start()
  const first = ask('/held')
  const refused = await ask('/')
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1'])
  held.resolve()
  expect(await (await first).text()).toBe('answer')
  expect((await ask('/')).status).toBe(200)
  expect(ends.counts).toEqual({ answered: 2, refused: 1 })
  expect(requests.total).toBe(0)
})

test('all have their answers that are not taken', async () => {
  const { ask } = start()
  expect((await ask('/', { pending: 16_000 })).status).toBe(200)
  expect((await ask('/', { pending: 16_001 })).status).toBe(503)
})

test('a host without a certificate there is misdirected', async () => {
  const { ask, ends } = start()
  const answer = await ask('/', { host: 'shop.example' })
  expect([answer.status, answer.headers.get('strict-transport-security')]).toEqual([
    421,
    'max-age=60',
  ])
  expect(ends.counts).toEqual({ misdirected: 1 })
})

test('what fails is over', async () => {
  const { ask, ends, requests } = start()
  await expect(ask('/broken')).rejects.toThrow('broken')
  expect(ends.counts).toEqual({ failed: 1 })
  expect(requests.total).toBe(0)
})
