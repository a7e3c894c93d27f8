import { expect, test } from 'bun:test'
import { addressOf } from './api.ts'

test('a call has the method and path of its declaration', () => {
  expect([
    addressOf('GET /api/auth/status', {}),
    addressOf('DELETE /api/site/:rkey', { params: { rkey: 'a~b/c d' } }),
    addressOf('GET /api/domain/check', { query: { handle: 'a&b' } }),
    addressOf('GET /api/domain/check', {}),
  ]).toEqual([
    { method: 'GET', path: '/api/auth/status' },
    { method: 'DELETE', path: '/api/site/a~b%2Fc%20d' },
    { method: 'GET', path: '/api/domain/check?handle=a%26b' },
    { method: 'GET', path: '/api/domain/check' },
  ])
})

/** `npm run check` is the test. */
export const refusedByTheCompiler = () => [
  // @ts-expect-error a route that is not declared
  addressOf('GET /api/auth/other', {}),
  // @ts-expect-error a parameter too few
  addressOf('DELETE /api/site/:rkey', {}),
  // @ts-expect-error another parameter
  addressOf('GET /api/domain/check', { query: { name: 'a' } }),
]
