import { expect, test } from 'bun:test'
import { Hono } from 'hono'
import { parseTrustedProxies } from '#http/client-address.ts'
import { currentTrace } from '#observe/trace.ts'
import { recordingLog } from '#tests/support/api.ts'
import type { ApiEnv } from './context.ts'
import { answerError } from './errors.ts'
import { traced } from './traced.ts'

const id = '0af7651916cd43dd8448eb211c80319c'
const traceparent = `00-${id}-b7ad6b7169203331-01`

async function request(path: string, { peer = '127.0.0.1', field = '' } = {}) {
  const seen: (string | undefined)[] = []
  const app = new Hono<ApiEnv>().onError(answerError(recordingLog()))
  app.use(traced({ trustedProxies: parseTrustedProxies('127.0.0.1') ?? [] }))
  app.get('/', (c) => {
    seen.push(currentTrace()?.id)
    return c.text('done')
  })
  app.get('/broken', () => {
    throw new Error('unforeseen')
  })
  const headers = field === '' ? {} : { traceparent: field }
  const server = { requestIP: () => ({ address: peer }) }
  const response = await app.request(path, { headers }, { server } as never)
  return { response, requestId: response.headers.get('x-request-id'), seen: seen[0] }
}

test('a trusted front may have begun the trace', async () => {
  expect(await request('/', { field: traceparent })).toMatchObject({ requestId: id, seen: id })
})

test('nobody else names the trace of a request', async () => {
  for (const options of [{}, { field: 'garbage' }, { field: traceparent, peer: '192.0.2.1' }]) {
    const { requestId, seen } = await request('/', options)
    expect(requestId).toMatch(/^[0-9a-f]{32}$/)
    expect(requestId).not.toBe(id)
    expect(seen).toBe(requestId ?? '')
  }
})

test('the id of an unforeseen failure is that of the request', async () => {
  const { response, requestId } = await request('/broken')
  expect(await response.json()).toMatchObject({ id: requestId ?? '' })
})
