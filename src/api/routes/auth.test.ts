import { describe, expect, test } from 'bun:test'
import { sessionIdleMs } from '#api/session/sessions.ts'
import { SignInError } from '#atproto/oauth/sign-in-error.ts'
import { upsertAccount } from '#store/accounts/accounts.ts'
import { claimSubdomain } from '#store/names/subdomains.ts'
import { startNextJob } from '#store/queues/job-steps.ts'
import { createJob } from '#store/queues/jobs.ts'
import { recordVersion } from '#store/sites/record-version.ts'
import { cookieHeader, testApi } from '#tests/support/api.ts'
import { alice, bob, newJob, newVersion } from '#tests/support/database/sample-rows.ts'
import { workRows } from '#tests/support/database/work-rows.ts'

const api = testApi()

const get = (path: string, cookie = '') => api().request(path, { headers: { cookie } })
const post = (path: string, body = '', cookie = '') =>
  api().request(path, { method: 'POST', body, headers: { cookie } })
const leadsTo = (response: Response) => [response.status, response.headers.get('location')]
const noncePattern = /^oauth=nonce-1; Path=\/; HttpOnly; SameSite=Lax; Max-Age=600$/
const status = async (cookie: string) => await (await get('/api/auth/status', cookie)).json()
const removed = [
  'did=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0',
  'sid=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0',
]

/** The callback of a sign-in that this browser began. Returns the answer and the browser's cookies. */
async function callback(did = alice, cookie = '') {
  const response = await get(`/api/auth/callback?code=${did}`, `oauth=nonce-1; ${cookie}`)
  const cookies = response.headers.getSetCookie().filter((line) => !line.startsWith('oauth='))
  return { response, cookies, cookie: cookieHeader(cookies) }
}

describe('GET /api/auth/login', () => {
  test.each([
    ['cross-site', '/?handle=alice.test'],
    ['same-site', '/?handle=alice.test'],
    ['same-origin', 'https://pds.test/authorize?input=alice.test'],
    // A link of a mail program or a QR code.
    ['none', '/?handle=alice.test'],
  ])('sent here by a page that is %s', async (site, location) => {
    const response = await api().request('/api/auth/login?handle=alice.test', {
      headers: { 'sec-fetch-site': site },
    })
    expect(response.headers.get('location')).toBe(location)
  })

  const facts: [string, string][] = [
    ['?handle=alice.test', 'https://pds.test/authorize?input=alice.test'],
    ['?login_hint=alice.test', 'https://pds.test/authorize?input=alice.test'],
    ['?handle=&login_hint=alice.test', 'https://pds.test/authorize?input=alice.test'],
    ['?pds=pds.test', 'https://pds.test/authorize?input=https://pds.test'],
    ['?pds=http://pds.test', 'https://pds.test/authorize?input=http://pds.test'],
    ['?handle=one.test&pds=one.test', 'https://pds.test/authorize?input=one.test'],
    ['', '/?error=missing_handle'],
    ['?handle=&pds=', '/?error=missing_handle'],
    ['?handle=%20%20', '/?error=missing_handle'],
    ['?handle=+%09&login_hint=+&pds=+', '/?error=missing_handle'],
    ['?handle=+&login_hint=alice.test', 'https://pds.test/authorize?input=alice.test'],
  ]
  for (const [query, target] of facts) {
    test(`${query} leads to ${target}`, async () => {
      const response = await get(`/api/auth/login${query}`)
      expect(leadsTo(response)).toEqual([302, target])
      const cookie = response.headers.get('set-cookie')
      if (target.startsWith('/')) expect(cookie).toBeNull()
      else expect(cookie).toMatch(noncePattern)
    })
  }

  for (const failure of [new SignInError('unknown-handle'), new Error('a defect')]) {
    test(`${failure} leads to the start`, async () => {
      api().network.failure = failure
      expect(leadsTo(await get('/api/auth/login?handle=x.test'))).toEqual([
        302,
        '/?error=auth_failed',
      ])
    })
  }
})

describe('POST /api/auth/signin', () => {
  test('answers with the address to go to', async () => {
    const response = await post('/api/auth/signin', '{"handle":"alice.test"}')
    expect(await response.json()).toEqual({ url: 'https://pds.test/authorize?input=alice.test' })
    expect(response.headers.get('set-cookie')).toMatch(noncePattern)
  })

  test('says in a fixed sentence why not', async () => {
    api().network.failure = new SignInError('server-unreachable', {
      cause: new Error('ECONNREFUSED'),
    })
    const response = await post('/api/auth/signin', '{"handle":"alice.test"}')
    expect(response.status).toBe(401)
    expect(await response.json()).toEqual({
      error: 'Authentication failed',
      details: 'That server did not answer. Check the address, or try again in a few minutes.',
    })
  })

  const handles = ['', ' \t', 7, null, ['alice.test'], 'a'.repeat(2049)]
  const bodies = [{}, [], null, ...handles.map((handle) => ({ handle }))]
  for (const body of ['', 'handle=alice', ...bodies.map((body) => JSON.stringify(body))]) {
    test(`no usable handle: ${body.slice(0, 40)}`, async () => {
      const response = await post('/api/auth/signin', body)
      expect([response.status, await response.json()]).toEqual([
        400,
        {
          error: 'Authentication failed',
          details: 'Enter a handle, such as alice.bsky.social.',
        },
      ])
    })
  }
})

describe('GET /api/auth/callback', () => {
  test('ends the sign-ins of a grant that has ended, and none of one that lives', async () => {
    const stolen = await api().signedIn(alice)
    const bobs = await api().signedIn(bob)
    api().network.sessions.delete(alice)
    const owner = (await callback()).cookie
    const other = (await callback()).cookie
    const isIn = async (cookie: string) => (await get('/api/user/status', cookie)).status === 200
    const browsers = [stolen, owner, other, bobs]
    expect(await Promise.all(browsers.map(isIn))).toEqual([false, true, true, true])
  })

  test('is logged once a minute when it fails: anybody may call it', async () => {
    await get('/api/auth/callback', 'oauth=other')
    await get('/api/auth/callback', 'oauth=another')
    expect(api().logged.map(({ message }) => message)).toEqual(['sign-in refused'])
  })

  test('starts a session: to the first steps without sites, to the editor with some', async () => {
    const first = await callback()
    expect(leadsTo(first.response)).toEqual([302, '/onboarding'])
    expect(await status(first.cookie)).toEqual({ authenticated: true, did: alice })
    api().network.sites.set(bob, ['blog', 'not a site name'])
    const second = await callback(bob)
    expect(leadsTo(second.response)).toEqual([302, '/editor'])
    const queued = await workRows(api().db, 'site')
    expect(queued.map(({ did, site }) => `${did}/${site}`)).toEqual([`${bob}/blog`])
  })

  test('to the editor with a domain, too', async () => {
    const domain = 'alice.sites.example'
    await claimSubdomain(api().db, { did: alice, domain }, { subdomainsMax: 1, now: 1 })
    expect(leadsTo((await callback()).response)).toEqual([302, '/editor'])
  })

  test('spends the nonce of the browser, whatever comes of it', async () => {
    const spent = 'oauth=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0'
    expect((await callback()).response.headers.getSetCookie()).toContain(spent)
    const failed = await get('/api/auth/callback', 'oauth=other')
    expect(failed.headers.getSetCookie()).toEqual([spent])
  })

  const noSession: [string, string, string, Error | null][] = [
    ['no nonce: another browser', '?code=x', '', null],
    ['a foreign nonce', '?code=x', 'oauth=nonce-2', null],
    ['the nonce twice', '?code=x', 'oauth=nonce-1; oauth=nonce-1', null],
    ['expired or reused state', '?state=x', 'oauth=nonce-1', new SignInError('expired')],
    ['no code', '', 'oauth=nonce-1', new SignInError('server-refused')],
    ['access denied', '?error=access_denied', 'oauth=nonce-1', new SignInError('denied')],
    ['another issuer', '?iss=x', 'oauth=nonce-1', new SignInError('expired')],
    ['a defect', '?code=x', 'oauth=nonce-1', new Error('a defect')],
  ]
  for (const [what, query, cookie, failure] of noSession) {
    test(`${what}: no session`, async () => {
      api().network.failure = failure
      const response = await get(`/api/auth/callback${query}`, cookie)
      expect(leadsTo(response)).toEqual([302, '/?error=auth_failed'])
      expect(cookieHeader(response.headers.getSetCookie())).toBe('oauth=')
      expect(await api().db.selectFrom('browserSessions').selectAll().execute()).toEqual([])
    })
  }

  test('signs in although the account’s server does not list its sites', async () => {
    await upsertAccount(api().db, { did: alice }, 1)
    await recordVersion(api().db, newVersion(), 1)
    api().network.isDown = true
    const { response, cookie } = await callback()
    expect(leadsTo(response)).toEqual([302, '/editor'])
    expect(await status(cookie)).toEqual({ authenticated: true, did: alice })
    expect(api().logged.map(({ message }) => message)).toEqual(['sites not listed', 'signed in'])
  })

  test('that fails after the tokens came leaves no session, and none to its server', async () => {
    const first = await api().signedIn(bob)
    await api().db.schema.dropTable('visitedAccounts').execute()
    for (const did of [alice, bob]) {
      expect(leadsTo((await callback(did)).response)).toEqual([302, '/?error=auth_failed'])
    }
    const rows = await api().db.selectFrom('browserSessions').select('did').execute()
    expect(rows).toEqual([{ did: bob }])
    expect([...api().network.sessions]).toEqual([bob])
    expect(await status(first)).toEqual({ authenticated: true, did: bob })
  })

  test('ends the session that this browser had', async () => {
    const first = await callback(alice)
    const again = await callback(alice, first.cookie)
    expect(await status(first.cookie)).toEqual({ authenticated: false })
    expect(await status(again.cookie)).toEqual({ authenticated: true, did: alice })
    const other = await callback(bob, again.cookie)
    expect(await status(again.cookie)).toEqual({ authenticated: false })
    expect(await status(other.cookie)).toEqual({ authenticated: true, did: bob })
    expect([...api().network.sessions]).toEqual([bob])
  })
})

describe('a page to come back to', () => {
  const begun: [string, () => Promise<Response>][] = [
    ['a link', () => get('/api/auth/login?handle=a.test&return_to=/sites/blog')],
    ['the form', () => post('/api/auth/signin', '{"handle":"a.test","return_to":"/sites/blog"}')],
  ]
  test.each(begun)('of a sign-in begun by %s', async (_, begin) => {
    await begin()
    expect(leadsTo((await callback()).response)).toEqual([302, '/sites/blog'])
  })

  test.each([
    ['', '/editor'],
    ['return_to=//evil.test', '/editor'],
    ['return_to=/%5Cevil.test', '/editor'],
    ['return_to=https://evil.test/editor', '/editor'],
  ])('%p: %p', async (query, target) => {
    api().network.sites.set(alice, ['blog'])
    await get(`/api/auth/login?handle=a.test&${query}`)
    expect(leadsTo((await callback()).response)).toEqual([302, target])
  })

  test.each(['7', 'null', '["/editor"]'])('that is no text is left out: %p', async (page) => {
    const begun = await post('/api/auth/signin', `{"handle":"a.test","return_to":${page}}`)
    expect(begun.status).toBe(200)
    expect(leadsTo((await callback()).response)).toEqual([302, '/onboarding'])
  })

  test('is stored by nobody else: what comes out of the state is read once more', async () => {
    api().network.returnTo = '//evil.test'
    expect(leadsTo((await callback()).response)).toEqual([302, '/onboarding'])
  })

  test('a page elsewhere that sends the visitor here: both are kept until they confirm', async () => {
    const response = await api().request(
      '/api/auth/login?handle=a.test&return_to=/sites/a%2526b%3Fc%3Dd',
      { headers: { 'sec-fetch-site': 'cross-site' } },
    )
    expect(leadsTo(response)).toEqual([
      ...[302, '/?handle=a.test&return_to=%2Fsites%2Fa%2526b%3Fc%3Dd'],
    ])
  })
})

describe('POST /api/auth/logout', () => {
  test('ends this browser’s session; the last one ends the account’s', async () => {
    const [first, second] = [await api().signedIn(alice), await api().signedIn(alice)]
    const response = await post('/api/auth/logout', '', first)
    expect([response.status, await response.json()]).toEqual([200, { success: true }])
    expect(response.headers.getSetCookie()).toEqual(removed)
    expect(await status(first)).toEqual({ authenticated: false })
    expect(api().network.sessions.has(alice)).toBe(true)
    await post('/api/auth/logout', '', second)
    expect(api().network.sessions.has(alice)).toBe(false)
  })

  test('a browser whose session has run out does not keep the account’s', async () => {
    await api().signedIn(alice)
    api().now += sessionIdleMs
    await post('/api/auth/logout', '', await api().signedIn(alice))
    expect(api().network.sessions.has(alice)).toBe(false)
  })

  test('leaves the session to a browser that is signing in, whose account’s server is slow', async () => {
    const first = await api().signedIn(alice)
    const { oauth } = api().network
    const [asked, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const { session } = oauth
    oauth.session = async (did) => {
      asked.resolve()
      await answered.promise
      return await session(did)
    }
    const coming = callback(alice)
    await asked.promise
    await post('/api/auth/logout', '', first)
    answered.resolve()
    expect(await status((await coming).cookie)).toEqual({ authenticated: true, did: alice })
  })

  test('and to one that came while it waited its turn', async () => {
    const first = await api().signedIn(alice)
    const { oauth } = api().network
    const { revoke } = oauth
    let second = ''
    oauth.revoke = async (did, isUnused) => {
      second = (await callback(alice)).cookie
      await revoke(did, isUnused)
    }
    await post('/api/auth/logout', '', first)
    expect(await status(second)).toEqual({ authenticated: true, did: alice })
  })

  test('succeeds for who is signed out', async () => {
    const response = await post('/api/auth/logout')
    expect([response.status, await response.json()]).toEqual([200, { success: true }])
    expect(response.headers.getSetCookie()).toEqual(removed)
  })

  for (const isRunning of [true, false]) {
    test(`leaves a job that ${isRunning ? 'runs' : 'waits'} the session it needs`, async () => {
      const cookie = await api().signedIn(alice)
      await createJob(api().db, newJob(), { queuedMax: 5, now: 1 })
      if (isRunning) await startNextJob(api().db, alice, 2)
      await post('/api/auth/logout', '', cookie)
      expect(await status(cookie)).toEqual({ authenticated: false })
      expect(api().network.sessions.has(alice)).toBe(true)
    })
  }

  test('says when it failed, and keeps the cookies', async () => {
    const cookie = await api().signedIn(alice)
    await api().db.schema.dropTable('browserSessions').execute()
    const response = await post('/api/auth/logout', '', cookie)
    expect([response.status, await response.json()]).toEqual([500, { error: 'Logout failed' }])
    expect(response.headers.getSetCookie()).toEqual([])
  })
})

describe('GET /api/auth/status', () => {
  test('signed out: the cookies are removed', async () => {
    const response = await get('/api/auth/status', 'did=forged')
    expect([response.status, await response.json()]).toEqual([200, { authenticated: false }])
    expect(response.headers.getSetCookie()).toEqual(removed)
  })

  test('signed in: they stay', async () => {
    const response = await get('/api/auth/status', await api().signedIn(alice))
    expect(await response.json()).toEqual({ authenticated: true, did: alice })
    expect(response.headers.getSetCookie()).toEqual([])
  })

  test('without the account’s own session nobody is signed in, here neither', async () => {
    const cookie = await api().signedIn(alice)
    api().network.sessions.delete(alice)
    const response = await get('/api/auth/status', cookie)
    expect(await response.json()).toEqual({ authenticated: false })
    expect(response.headers.getSetCookie()).toEqual(removed)
    expect((await get('/api/user/status', cookie)).status).toBe(401)
  })
})
