import { beforeEach, describe, expect, test } from 'bun:test'
import type { Route } from '#api/contract/route.ts'
import { routes } from '#api/contract/routes.ts'
import { SessionEndedError } from '#atproto/oauth/oauth.ts'
import { claimSubdomain, findSubdomain } from '#store/names/subdomains.ts'
import { recordingLog, testApi } from '#tests/support/api.ts'
import { alice, bob } from '#tests/support/database/sample-rows.ts'
import { confirmAgain } from './grant-check.ts'

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
    method,
    headers: { cookie },
    ...(body && { body: JSON.stringify(body) }),
  })
const release = () => ask('DELETE', `/api/domain/sitehost/${domain}`)
const isHeld = async () => (await findSubdomain(api().db, domain)) !== null
const findFailures = () => api().db.selectFrom('grantFailures').selectAll().executeTakeFirst()
/** What maintenance does meanwhile. */
const keepAsking = async (hours: number): Promise<void> => {
  const { db, network } = api()
  const { signal } = new AbortController()
  for (let hour = 0; hour < hours; hour++) {
    api().now += hourMs
    const { now } = api()
    const { oauth } = network
    await confirmAgain({ db, log: recordingLog([]), now: () => now, oauth, signal })
  }
}
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
    'DELETE /api/site/:rkey/previews/:alias',
    'DELETE /api/site/:rkey/versions/:id',
    'DELETE /api/user',
    'GET /api/user/export',
    'POST /api/domain/custom/verify',
    'POST /api/domain/update',
    'POST /api/site/:rkey/publishers',
    'POST /api/site/:rkey/tokens',
    'POST /api/user/foreign-webhooks/bring-over',
    'POST /api/webhooks',
    'POST /api/webhooks/:id/secret',
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

  test('does not keep anybody here for ever, in whichever browser', async () => {
    const otherCookie = await api().signedIn(alice)
    serverIsAway()
    expect((await release()).status).toBe(502)
    await keepAsking(71)
    expect((await release()).status).toBe(502)
    await keepAsking(1)
    cookie = otherCookie
    expect((await release()).status).toBe(200)
  })

  test('a few bad moments are not 72 hours', async () => {
    serverIsAway()
    for (let day = 0; day < 5; day++) {
      expect((await release()).status).toBe(502)
      api().now += 24 * hourMs
    }
    expect((await release()).status).toBe(502)
  })

  test('whoever tries again and again does not make it sooner', async () => {
    serverIsAway()
    for (let n = 0; n < 30; n++) expect((await release()).status).toBe(502)
    api().now += 24 * hourMs
    expect((await release()).status).toBe(502)
    expect(await findFailures()).toMatchObject({ tries: 2 })
  })

  const comebacks: [string, () => Promise<unknown>][] = [
    ['a call of any browser', () => ask('GET', '/api/user/export')],
    ['being asked again', () => keepAsking(1)],
    [
      'a new sign-in',
      () =>
        api().request(`/api/auth/callback?code=${alice}`, { headers: { cookie: 'oauth=nonce-1' } }),
    ],
  ]
  for (const [name, comeBack] of comebacks) {
    test(`${name} finds it there in between: the time begins anew`, async () => {
      const { confirm } = api().network.oauth
      serverIsAway()
      await release()
      await keepAsking(71)
      api().network.oauth.confirm = confirm
      await comeBack()
      expect(await findFailures()).toBeUndefined()
      serverIsAway()
      await keepAsking(1)
      expect((await release()).status).toBe(502)
    })
  }

  test('an absence of long ago proves nothing', async () => {
    serverIsAway()
    await release()
    await keepAsking(72)
    api().now += 25 * hourMs
    expect((await release()).status).toBe(502)
    await keepAsking(72)
    expect((await release()).status).toBe(200)
  })

  test('it is back and has ended the grant: all sessions end, and nobody asks again', async () => {
    serverIsAway()
    await release()
    api().network.oauth.confirm = (did) => Promise.reject(new SessionEndedError(did))
    api().network.sessions.delete(alice)
    await keepAsking(1)
    expect((await ask('GET', '/api/user/status')).status).toBe(401)
    expect(await findFailures()).toBeUndefined()
  })

  test('signing out everywhere works without it', async () => {
    serverIsAway()
    expect((await ask('POST', '/api/auth/logout-everywhere')).status).toBe(200)
  })
})
