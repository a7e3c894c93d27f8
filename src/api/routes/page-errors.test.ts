import { expect, test } from 'bun:test'
import { testApi } from '#tests/support/api.ts'

const api = testApi()

const send = (body: unknown, userAgent = '') =>
  api().request('/api/page-errors', {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json', 'user-agent': userAgent },
  })

test.each([
  [
    'TypeError blink',
    'Mozilla/5.0 (X11) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0 Safari/537.36 Edg/126',
  ],
  [
    'TypeError webkit',
    'Mozilla/5.0 (Macintosh) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Safari/605.1.15',
  ],
  [
    'TypeError webkit',
    'Mozilla/5.0 (iPhone) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/126.0 Mobile Safari/604.1',
  ],
  [
    'TypeError webkit',
    'Mozilla/5.0 (iPhone) AppleWebKit/605.1.15 (KHTML, like Gecko) FxiOS/127.0 Mobile Safari/605.1.15',
  ],
  ['TypeError gecko', 'Mozilla/5.0 (X11; rv:127.0) Gecko/20100101 Firefox/127.0'],
  ['TypeError other', 'curl/8.0'],
  ['TypeError other', ''],
])('is counted by name and engine: %s of %s', async (label, userAgent) => {
  expect((await send({ name: 'TypeError' }, userAgent)).status).toBe(204)
  expect(api().pageErrors.counts).toEqual({ [label]: 1 })
})

test.each([
  ['a name that is not on the list', { name: 'Alice' }],
  ['a name of every object', { name: 'constructor' }],
  ['no name', {}],
  ['a message', { name: 'TypeError', message: 'x is not a function' }],
])('%s is not counted', async (_, body) => {
  expect((await send(body)).status).toBe(400)
  expect(api().pageErrors.counts).toEqual({})
})

test('of a network, at most 30 are counted in ten minutes; nothing is logged', async () => {
  for (let n = 0; n < 30; n++) expect((await send({ name: 'other' })).status).toBe(204)
  const refused = await send({ name: 'other' })
  expect(refused.status).toBe(429)
  expect((await refused.json()).error).toStartWith('Too many page errors from your network.')
  expect(api().pageErrors.counts).toEqual({ 'other other': 30 })
  expect(api().logged).toEqual([])
})
