import { afterEach, beforeEach, expect, test } from 'bun:test'
import { z } from 'zod'
import { CommandError } from '#cli/command-error.ts'
import { createSafeFetch } from '#outbound/safe-fetch.ts'
import { type InstanceRequest, instanceAt } from './instance.ts'

/** A Sitehost that answers one request after the other so. */
let answers: (() => Response)[]
let received: string[]
let server: Bun.Server<undefined>
beforeEach(() => {
  answers = []
  received = []
  server = Bun.serve({
    ...{ port: 0, hostname: '127.0.0.1' },
    async fetch(request) {
      received.push(`${request.headers.get('authorization')}: ${await request.text()}`)
      return answers.shift()?.() ?? Response.json({ is: 'done' })
    },
  })
})
afterEach(() => server.stop(true))

const unavailable = (headers: Record<string, string>) => () =>
  Response.json({ error: 'Sitehost is restarting.' }, { status: 503, headers })

const gone = unavailable({ 'retry-after': '3' })
const notBegun = unavailable({ 'retry-after': '3', 'x-sitehost-not-begun': '1' })

let tokens: number
/** In milliseconds, of a clock that only they move. */
let pauses: number[]
const file = { method: 'PUT', path: '/file', content: new Blob(['the file']) } as const
const send = (request: InstanceRequest = file) => {
  const context = {
    fetch: createSafeFetch({ allowPrivate: true }),
    signal: new AbortController().signal,
  }
  tokens = 0
  pauses = []
  const clock = {
    now: () => pauses.reduce((sum, ms) => sum + ms, 0),
    pause: async (ms: number) => void pauses.push(ms),
  }
  const token = async () => `token-${++tokens}`
  const instance = instanceAt(server.url.origin, token, context, clock)
  return instance.ask(request, z.object({ is: z.string() }))
}

test('while a Sitehost restarts, a request is sent again, with a token of its own', async () => {
  answers = [gone, gone]
  expect(await send()).toEqual({ is: 'done' })
  expect(received).toEqual([1, 2, 3].map((n) => `Bearer token-${n}: the file`))
  expect(pauses).toEqual([3000, 3000])
})

test.each<[string, InstanceRequest, () => Response, number]>([
  ['a GET', { method: 'GET', path: '/' }, gone, 2],
  ['a PUT', { method: 'PUT', path: '/' }, gone, 2],
  ['a DELETE', { method: 'DELETE', path: '/' }, gone, 2],
  [
    'a POST that may be carried out twice',
    { method: 'POST', path: '/', isIdempotent: true },
    gone,
    2,
  ],
  ['a POST that has not begun', { method: 'POST', path: '/' }, notBegun, 2],
  ['any other POST', { method: 'POST', path: '/' }, gone, 1],
])('%s: answered with 503, it is sent as often as it may be', async (_, request, first, times) => {
  answers = [first]
  const sending = send(request)
  if (times === 1) await expect(sending).rejects.toThrow('Sitehost is restarting.')
  else expect(await sending).toEqual({ is: 'done' })
  expect(received).toHaveLength(times)
})

test.each([
  ['0', 2000, 30],
  ['7', 7000, 8],
  ['3600', 10_000, 6],
])(
  'after Retry-After: %s it pauses %d ms, and gives up after a minute',
  async (retryAfter, ms, count) => {
    answers = Array.from({ length: 99 }, () => unavailable({ 'retry-after': retryAfter }))
    await expect(send()).rejects.toThrow(new CommandError('Sitehost is restarting.'))
    expect(pauses).toEqual(Array.from({ length: count }, () => ms))
    expect(received).toHaveLength(count + 1)
  },
)

test.each([{}, { 'retry-after': 'Fri, 31 Dec 2027 23:59:59 GMT' }])(
  'without seconds to come back after, a refusal is final: %j',
  async (headers) => {
    answers = [unavailable(headers)]
    await expect(send()).rejects.toThrow(new CommandError('Sitehost is restarting.'))
    expect(received).toHaveLength(1)
  },
)

test('a refusal about a domain does not begin with the name of a field', async () => {
  const refusing = (error: string) => () => Response.json({ error }, { status: 400 })
  answers = [refusing('domain: nobody owns this one'), refusing('That name is taken.')]
  for (const said of ['Nobody owns this one.', 'That name is taken.']) {
    expect(await send().catch((error) => error.message)).toBe(said)
  }
})
