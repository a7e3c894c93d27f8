import { expect, test } from 'bun:test'
import { Cdn, type PurgeAnswer } from './cdn.ts'

const url = 'https://cdn.test/purge'
const { signal } = new AbortController()

interface Sent {
  readonly url: string
  readonly authorization: string | null
  readonly body: unknown
}

async function purge(
  hosts: readonly string[] | 'everything',
  answer: Response,
  token: string | null = null,
): Promise<[PurgeAnswer, Sent[]]> {
  const sent: Sent[] = []
  const fetch = async (to: string, init: RequestInit): Promise<Response> => {
    const request = new Request(to, init)
    const authorization = request.headers.get('authorization')
    sent.push({ url: to, authorization, body: await request.json() })
    expect([request.method, request.redirect]).toEqual(['POST', 'error'])
    return answer
  }
  return [await new Cdn({ kind: 'hosts', url, token, fetch, signal }).purge(hosts), sent]
}

test('hosts are purged by name, with the token', async () => {
  const [answer, sent] = await purge(
    ['a.test', 'b.test'],
    new Response('{}'),
    'a-long-secret-token',
  )
  expect(answer).toEqual({ kind: 'done' })
  const authorization = 'Bearer a-long-secret-token'
  expect(sent).toEqual([{ url, authorization, body: { hosts: ['a.test', 'b.test'] } }])
})

test('everything is purged in one request', async () => {
  const [, sent] = await purge('everything', new Response(null, { status: 204 }))
  expect(sent).toEqual([{ url, authorization: null, body: { purge_everything: true } }])
})

test.each([
  [400, {}, { kind: 'refused', status: 400 }],
  [422, {}, { kind: 'refused', status: 422 }],
  [401, {}, { kind: 'failed', status: 401, retryAfterMs: 0 }],
  [404, {}, { kind: 'failed', status: 404, retryAfterMs: 0 }],
  [429, { 'retry-after': '7' }, { kind: 'failed', status: 429, retryAfterMs: 7_000 }],
  [503, { 'retry-after': '900' }, { kind: 'failed', status: 503, retryAfterMs: 900_000 }],
  [503, { 'retry-after': '901' }, { kind: 'failed', status: 503, retryAfterMs: 900_000 }],
  [503, { 'retry-after': '-1' }, { kind: 'failed', status: 503, retryAfterMs: 0 }],
  [503, { 'retry-after': 'Fri, 31 Dec' }, { kind: 'failed', status: 503, retryAfterMs: 0 }],
] as const)('%d %j', async (status, headers, expected) => {
  const [answer] = await purge(['a.test'], new Response('no', { status, headers }))
  expect(answer).toEqual(expected)
})

const token = 'a-long-secret-token'
const signature = 'sha256=caee4d1904de3134b3cd3759f5f88532fa7a570a08dc3d56853396706a0d7b79'
const everything = { purge_everything: true }
test.each([
  ['keys', ['a.test', 'b.test'], { 'surrogate-key': 'a.test b.test', 'fastly-key': token }, ''],
  ['keys', 'everything', { 'surrogate-key': 'all', authorization: `Bearer ${token}` }, ''],
  ['signed', 'everything', { authorization: null }, JSON.stringify(everything)],
  ['signed', ['a.test'], { 'x-sitehost-signature': signature }, '{"hosts":["a.test"]}'],
] as const)('the request of %s for %j', async (kind, hosts, expected, body) => {
  let sent = new Request(url)
  const fetch = async (to: string, init: RequestInit): Promise<Response> => {
    sent = new Request(to, init)
    return new Response()
  }
  await new Cdn({ kind, url, token, fetch, signal }).purge(hosts)
  expect(await sent.text()).toBe(body)
  for (const [name, value] of Object.entries(expected)) expect(sent.headers.get(name)).toBe(value)
})
