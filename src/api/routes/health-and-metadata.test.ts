import { expect, test } from 'bun:test'
import { testApi } from '#tests/support/api.ts'

const api = testApi()

test.each([
  ['/oauth-client-metadata.json', { client_id: 'https://sitehost.test/client' }],
  ['/jwks.json', { keys: [{ kid: 'key-1', kty: 'EC' }] }],
])('%s is JSON for anybody, for ten minutes', async (path, body) => {
  const response = await api().request(path)
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toStartWith('application/json')
  expect(response.headers.get('cache-control')).toBe('public, max-age=600')
  expect(await response.json()).toMatchObject(body)
})
