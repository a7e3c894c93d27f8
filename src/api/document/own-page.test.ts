import { describe, expect, test } from 'bun:test'
import { gunzipSync } from 'node:zlib'
import { testApi } from '#tests/support/api.ts'
import { alice, bob } from '#tests/support/database/sample-rows.ts'

const api = testApi()

const visit = async (path: string, headers: Record<string, string> = {}) => {
  const answer = await api().app.request(path, { headers })
  const { status } = answer
  const [keeping, tag] = ['cache-control', 'etag'].map((name) => answer.headers.get(name))
  return { status, keeping, tag: tag !== null, text: await answer.text() }
}
const plain = { status: 200, keeping: 'no-cache', tag: true, text: '<h1>app</h1>' }

describe('the document of an account’s page', () => {
  test('is drawn for whoever is signed in, from their own answers, and nobody keeps it', async () => {
    for (const did of [alice, bob]) {
      const cookie = await api().signedIn(did)
      const user = { did, handle: 'handle.invalid' }
      expect(await visit('/sites/blog?a=b', { cookie })).toEqual({
        status: 200,
        keeping: 'no-store',
        tag: false,
        text: `/sites/blog?a=b ${JSON.stringify({ user, sites: { sites: [] } })}`,
      })
    }
  })

  test('is compressed for whoever takes that', async () => {
    const cookie = await api().signedIn(alice)
    const headers = { cookie, 'accept-encoding': 'br, gzip' }
    const answer = await api().app.request('/sites/blog', { headers })
    expect(answer.headers.get('content-encoding')).toBe('gzip')
    expect(answer.headers.get('vary')).toContain('Accept-Encoding')
    expect(gunzipSync(await answer.bytes()).toString()).toContain(alice)
  })

  test.each<[string, string, Record<string, string>]>([
    ['nobody is signed in', '/sites/blog', {}],
    ['a session is forged', '/sites/blog', { cookie: 'did=a.b; sid=c' }],
  ])('is the plain one where %s', async (_, path, headers) => {
    expect(await visit(path, headers)).toEqual(plain)
  })

  test('is the plain one for whatever is no window', async () => {
    const cookie = await api().signedIn(alice)
    for (const dest of ['script', 'iframe', 'empty']) {
      expect(await visit('/sites/blog', { cookie, 'sec-fetch-dest': dest })).toEqual(plain)
    }
  })

  test('is the plain one when it cannot be drawn, which the log says', async () => {
    const cookie = await api().signedIn(alice)
    expect(await visit('/sites/undrawable', { cookie })).toEqual(plain)
    expect(api().logged.map(({ message }) => message)).toContain('page not drawn')
  })
})
