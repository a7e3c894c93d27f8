import { afterEach, beforeEach, expect, test } from 'bun:test'
import { z } from 'zod'
import { CommandError } from '#cli/command-error.ts'
import { createSafeFetch } from '#outbound/safe-fetch.ts'
import { instanceAt } from './instance.ts'

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

let tokens = 0
const send = () => {
  const context = {
    fetch: createSafeFetch({ allowPrivate: true }),
    signal: new AbortController().signal,
  }
  tokens = 0
  const instance = instanceAt(server.url.origin, async () => `token-${++tokens}`, context)
  const request = { method: 'PUT' as const, path: '/file', content: new Blob(['the file']) }
  return instance.ask(request, z.object({ is: z.string() }))
}

test('while a Sitehost restarts, a request is sent again, with a token of its own', async () => {
  answers = [unavailable({ 'retry-after': '0' }), unavailable({ 'retry-after': '0' })]
  expect(await send()).toEqual({ is: 'done' })
  expect(received).toEqual([1, 2, 3].map((n) => `Bearer token-${n}: the file`))
})

test('one that does not come back is not asked for ever', async () => {
  answers = Array.from({ length: 99 }, () => unavailable({ 'retry-after': '0' }))
  await expect(send()).rejects.toThrow(new CommandError('Sitehost is restarting.'))
  expect(received).toHaveLength(7)
})

test.each([{}, { 'retry-after': 'Fri, 31 Dec 2027 23:59:59 GMT' }])(
  'without seconds to come back after, a refusal is final: %j',
  async (headers) => {
    answers = [unavailable(headers)]
    await expect(send()).rejects.toThrow(new CommandError('Sitehost is restarting.'))
    expect(received).toHaveLength(1)
  },
)
