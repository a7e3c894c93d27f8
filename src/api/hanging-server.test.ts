import { expect, test } from 'bun:test'
import { testApi } from '#tests/support/api.ts'
import { alice } from '#tests/support/database/sample-rows.ts'

const api = testApi({ operationMsMax: 20 })

const requests: [method: string, path: string, body?: string][] = [
  ['GET', '/api/site/blog/settings'],
  ['POST', '/api/site/blog/settings', '{}'],
  ['DELETE', '/api/site/blog'],
]
for (const [method, path, body] of requests) {
  test(`${method} ${path} is answered though the account’s server hangs`, async () => {
    const cookie = await api().signedIn(alice)
    api().network.oauth.session = () => new Promise(() => undefined)
    const init = { method, headers: { cookie }, ...(body !== undefined && { body }) }
    const response = await api().request(path, init)
    expect([response.status, await response.json()]).toEqual([
      502,
      {
        success: false,
        error: 'Your account’s server did not answer. Try again in a few minutes.',
      },
    ])
  })
}
