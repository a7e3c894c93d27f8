import { expect, test } from 'bun:test'
import { metricsToken, testApi } from '#tests/support/api.ts'

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

test.each([
  ['no token', undefined, 401],
  ['another token', `Bearer ${metricsToken}2`, 401],
  ['the token', `Bearer ${metricsToken}`, 200],
])('metrics with %s', async (_, authorization, status) => {
  const response = await api().request('/metrics', {
    headers: authorization === undefined ? {} : { authorization },
  })
  expect(response.status).toBe(status)
  if (status === 200) {
    expect(await response.text()).toBe('up 1\n')
    expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
  } else expect(response.headers.get('www-authenticate')).toBe('Bearer')
})
