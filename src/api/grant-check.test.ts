import { beforeEach, describe, expect, test } from 'bun:test'
import { SessionEndedError } from '#atproto/oauth.ts'
import { claimSubdomain, findSubdomain } from '#store/subdomains.ts'
import { testApi } from '#tests/support/api.ts'
import { alice, bob } from '#tests/support/sample-rows.ts'
import type { Route } from './contract/route.ts'
import { routes } from './contract/routes.ts'

const api = testApi()
const domain = 'alices.sites.example.net'
const hourMs = 60 * 60 * 1000
const unconfirmed = expect.stringContaining('did not confirm your sign-in')

let cookie: string
beforeEach(async () => {
  cookie = await api().signedIn(alice)
  await claimSubdomain(api().db, { did: alice, domain }, { subdomainsMax: 3, now: 1 })
})

const ask = (method: string, path: string, body?: object) =>
  api().request(path, {
    ...{ method, headers: { cookie } },
    ...(body && { body: JSON.stringify(body) }),
  })
const release = () => ask('DELETE', `/api/domain/sitehost/${domain}`)
const isHeld = async () => (await findSubdomain(api().db, domain)) !== null
const serverIsAway = () => {
  api().network.oauth.confirm = () => Promise.reject(new Error('ECONNREFUSED'))
}

test('what destroys something or hands it over needs the account’s server', () => {
  const asked = Object.values(routes as Readonly<Record<string, Route>>)
    .filter(({ confirmsGrant }) => confirmsGrant)
    .map(({ method, path }) => `${method} ${path}`)
  expect(asked.toSorted()).toEqual([
    'DELETE /api/domain/custom/:id',
    'DELETE /api/domain/sitehost/:domain',
    'DELETE /api/site/:rkey',
    'DELETE /api/user',
    'GET /api/user/export',
    'POST /api/domain/custom/verify',
    'POST /api/domain/update',
  ])
})

describe('a grant that the account’s server has ended', () => {
  const requests: [string, string, object?][] = [
    ['DELETE', `/api/domain/sitehost/${domain}`],
    ['DELETE', '/api/user'],
    ['GET', '/api/user/export'],
    ['POST', '/api/domain/update', { handle: 'another' }],
    ['POST', '/api/domain/custom/verify', { id: 'x' }],
  ]
  for (const [method, path, body] of requests) {
    test(`${method} ${path}: nothing happens, and all the account’s sessions end`, async () => {
      const [other, bobs] = [await api().signedIn(alice), await api().signedIn(bob)]
      api().network.sessions.delete(alice)
      expect((await ask(method, path, body)).status).toBe(401)
      expect(await isHeld()).toBe(true)
      const statusOf = async (cookie: string) =>
        (await api().request('/api/user/status', { headers: { cookie } })).status
      expect([await statusOf(other), await statusOf(bobs)]).toEqual([401, 200])
    })
  }
})

test('a call that finds that the grant has ended ends all sessions, unless somebody signed in meanwhile', async () => {
  const other = await api().signedIn(alice)
  const isIn = async () =>
    (await api().request('/api/user/status', { headers: { cookie: other } })).status === 200
  api().network.oauth.session = (did) => Promise.reject(new SessionEndedError(did))
  expect((await ask('DELETE', '/api/site/blog')).status).toBe(401)
  expect(await isIn()).toBe(true)
  api().network.sessions.delete(alice)
  expect((await ask('GET', '/api/site/blog/settings')).status).toBe(401)
  expect(await isIn()).toBe(false)
})

describe('an account’s server that is away', () => {
  test('nothing is destroyed, and the person stays signed in', async () => {
    serverIsAway()
    const answer = await release()
    expect<unknown>([answer.status, await answer.json()]).toEqual([502, { error: unconfirmed }])
    expect(await isHeld()).toBe(true)
    expect((await ask('GET', '/api/user/status')).status).toBe(200)
  })

  test('does not keep anybody here for ever', async () => {
    serverIsAway()
    expect((await release()).status).toBe(502)
    api().now += 72 * hourMs - 1
    expect((await release()).status).toBe(502)
    api().now += 1
    expect((await release()).status).toBe(200)
  })

  test('it was there in between: the time begins anew', async () => {
    const { confirm } = api().network.oauth
    serverIsAway()
    await release()
    api().network.oauth.confirm = confirm
    expect((await ask('GET', '/api/user/export')).status).toBe(200)
    serverIsAway()
    api().now += 72 * hourMs
    expect((await release()).status).toBe(502)
  })

  test('an absence of long ago proves nothing', async () => {
    serverIsAway()
    await release()
    api().now += 7 * 24 * hourMs + 1
    expect((await release()).status).toBe(502)
    api().now += 72 * hourMs
    expect((await release()).status).toBe(200)
  })

  test('signing out everywhere works without it', async () => {
    serverIsAway()
    expect((await ask('POST', '/api/auth/logout-everywhere')).status).toBe(200)
  })
})
