import { beforeEach, describe, expect, test } from 'bun:test'
import { routes } from '#api/contract/routes.ts'
import { setCookie } from '#api/session/cookies.ts'
import { addAdmin, removeAdmin } from '#store/accounts/admins.ts'
import { cookieHeader, testApi } from '#tests/support/api.ts'
import { alice } from '#tests/support/database/sample-rows.ts'

const api = testApi()
const secure = testApi({ baseUrl: 'https://sitehost.example' })
const minuteMs = 60_000
const password = 'correct horse battery'
// Cheap to check: what a password costs is a rule of `hashPassword`.
const passwordHash = await Bun.password.hash(password, { algorithm: 'bcrypt', cost: 4 })

beforeEach(async () => {
  for (const { db } of [api(), secure()]) {
    await addAdmin(db, { id: 'id-of-ruth', name: 'ruth', passwordHash, createdAt: 1 })
  }
})

interface Login {
  readonly username?: string
  readonly password?: string
  readonly cookie?: string
  readonly client?: string
  readonly at?: typeof api
}

function login(given: Login = {}): Promise<Response> {
  const { username = 'ruth', cookie = '', client = '192.0.2.1', at = api } = given
  return at().request('/api/admin/login', {
    method: 'POST',
    body: JSON.stringify({ username, password: given.password ?? password }),
    headers: { cookie, 'x-forwarded-for': client },
  })
}

async function signedIn(given: Login = {}): Promise<string> {
  return cookieHeader((await login(given)).headers.getSetCookie())
}

const answerOf = async (response: Response) => [response.status, await response.json()]
const ask = (method: string, path: string, cookie = '') =>
  api().request(path, { method, headers: { cookie } })
const status = async (cookie: string) =>
  await (await ask('GET', '/api/admin/status', cookie)).json()
const signedOut = { authenticated: false }
const isRuth = { authenticated: true, username: 'ruth' }
const nameOf = (cookie: string) => cookie.slice(0, cookie.indexOf('='))
const sessionOf = (cookie: string) =>
  cookie.split('; ').find((pair) => nameOf(pair) === 'admin_session') ?? ''

describe('POST /api/admin/login', () => {
  test('with name and password: a session', async () => {
    const response = await login()
    expect(await answerOf(response)).toEqual([200, { success: true }])
    const cookies = response.headers.getSetCookie()
    expect(cookies.map((line) => line.replace(/=[^;]*/, '='))).toEqual([
      'admin_session=; Path=/; HttpOnly; SameSite=Strict; Max-Age=43200',
      'admin_device=; Path=/; HttpOnly; SameSite=Strict; Max-Age=7776000',
    ])
    expect(await status(cookieHeader(cookies))).toEqual(isRuth)
  })

  test('on https the cookies are Secure', async () => {
    const cookies = (await login({ at: secure })).headers.getSetCookie()
    expect(cookies.map((line) => line.replace(/=[^;]*/, '='))).toEqual([
      'admin_session=; Path=/; HttpOnly; SameSite=Strict; Max-Age=43200; Secure',
      '__Host-admin_device=; Path=/; HttpOnly; SameSite=Strict; Max-Age=7776000; Secure',
    ])
  })

  const wrong: [string, Login][] = [
    ['another password', { password: 'correct horse batterx' }],
    ['another name', { username: 'ada' }],
    ['a name in another case', { username: 'Ruth' }],
    ['a name that no table has seen', { username: "' or 1=1 --" }],
    ['NUL', { username: 'ruth\u0000' }],
  ]
  for (const [what, given] of wrong) {
    test(`${what}: 401, and nothing of it in the log`, async () => {
      const response = await login(given)
      expect(await answerOf(response)).toEqual([401, { error: 'Invalid credentials' }])
      expect(response.headers.getSetCookie()).toEqual([])
      expect(api().logged.at(-1)?.fields).toEqual({
        event: 'admin_refused',
        network: '192.0.2.1',
      })
    })
  }

  test('another body: 400', async () => {
    for (const body of ['', '{}', '{"username":"ruth"}', '{"username":"ruth","password":""}']) {
      const { status } = await api().request('/api/admin/login', { method: 'POST', body })
      expect([body, status]).toEqual([body, 400])
    }
  })

  test('ends the session that this browser had', async () => {
    const first = await signedIn()
    const second = await signedIn({ cookie: first })
    expect([await status(first), await status(second)]).toEqual([signedOut, isRuth])
  })

  test('no password and no session id is in the database', async () => {
    const cookie = await signedIn()
    const rows = JSON.stringify([
      await api().db.selectFrom('adminSessions').selectAll().execute(),
      await api().db.selectFrom('admins').selectAll().execute(),
    ])
    expect(rows).not.toContain(password)
    expect(rows).not.toContain(sessionOf(cookie).split('|')[0]?.slice('admin_session='.length))
  })
})

describe('guessing', () => {
  const guess = (given: Login = {}) => login({ password: 'not this one', ...given })

  test('is slowed down, for names that there are and for others alike', async () => {
    for (const username of ['ruth', 'nobody']) {
      const client = `192.0.2.${username.length}`
      const statuses: number[] = []
      for (let i = 0; i < 6; i++) statuses.push((await guess({ username, client })).status)
      expect(statuses).toEqual([401, 401, 401, 401, 401, 429])
      const refused = await guess({ username, client })
      expect(refused.headers.get('retry-after')).toBe('2')
      expect(await refused.json()).toEqual({
        error: 'Too many tries to sign in. Try again in 2 seconds.',
      })
      // Else the right one would be found by going on.
      expect((await login({ client })).status).toBe(username === 'ruth' ? 429 : 200)
    }
  })

  test('elsewhere does not keep anybody out', async () => {
    for (let i = 0; i < 6; i++) await guess({ client: `2001:db8:0:${i}::1` })
    expect((await login({ client: '2001:db8:0:9::1' })).status).toBe(429)
    expect((await login({ client: '198.51.100.1' })).status).toBe(200)
  })

  test('next door does not keep a browser out that has signed in before', async () => {
    const cookie = await signedIn()
    for (let i = 0; i < 30; i++) await guess()
    expect((await login()).status).toBe(429)
    expect((await login({ cookie })).status).toBe(200)
  })

  test('a device that is tampered with, of another name, or given twice is a stranger’s', async () => {
    const cookie = await signedIn()
    const device = cookie.split('; ').find((pair) => nameOf(pair) === 'admin_device') ?? ''
    for (let i = 0; i < 6; i++) await guess()
    for (const bad of [`${device}x`, `${device}; ${device}`, device.replace('ruth', 'ruti')]) {
      expect((await login({ cookie: bad })).status).toBe(429)
    }
  })

  test('a device opens nothing', async () => {
    const cookie = await signedIn()
    const device = cookie.split('; ').find((pair) => nameOf(pair) === 'admin_device') ?? ''
    expect(await status(device)).toEqual(signedOut)
    expect(await status(device.replace('admin_device', 'admin_session'))).toEqual(signedOut)
  })
})

describe('a session', () => {
  test('ends with 30 minutes without use', async () => {
    const cookie = await signedIn()
    api().now += 30 * minuteMs - 1
    expect(await status(cookie)).toEqual(isRuth)
    api().now += 30 * minuteMs - 1
    expect(await status(cookie)).toEqual(isRuth)
    api().now += 30 * minuteMs
    expect(await status(cookie)).toEqual(signedOut)
  })

  test('ends after 12 hours, however often it is used', async () => {
    const cookie = await signedIn()
    for (let i = 0; i < 47; i++) {
      api().now += 15 * minuteMs
      expect(await status(cookie)).toEqual(isRuth)
    }
    api().now += 15 * minuteMs
    expect(await status(cookie)).toEqual(signedOut)
  })

  test('ends when its administrator is removed', async () => {
    const cookie = await signedIn()
    await removeAdmin(api().db, 'ruth')
    expect(await status(cookie)).toEqual(signedOut)
  })

  const bad: [string, (session: string, did: string) => string][] = [
    ['none', () => ''],
    ['twice', (session) => `${session}; ${session}`],
    ['tampered', (session) => session.replace(/=(.)/, '=_$1')],
    ['unsigned', (session) => session.slice(0, session.lastIndexOf('|'))],
    ['of another cookie', (_, did) => did.replace('did=', 'admin_session=')],
    ['as another cookie', (session) => session.replace('admin_session', 'did')],
  ]
  for (const [what, cookieOf] of bad) {
    test(`${what}: signed out`, async () => {
      const cookie = cookieOf(sessionOf(await signedIn()), await api().signedIn(alice))
      expect(await status(cookie)).toEqual(signedOut)
      expect((await ask('GET', '/api/admin/logs', cookie)).status).toBe(401)
      if (what === 'as another cookie') {
        expect((await ask('GET', '/api/user/status', cookie)).status).toBe(401)
      }
    })
  }
})

describe('POST /api/admin/logout', () => {
  const gone = setCookie('admin_session', '', {
    maxAgeSeconds: 0,
    secure: false,
    sameSite: 'Strict',
  })

  test('ends this session and no other', async () => {
    const [first, second] = [await signedIn(), await signedIn({ client: '192.0.2.9' })]
    const response = await ask('POST', '/api/admin/logout', first)
    expect(await answerOf(response)).toEqual([200, { success: true }])
    expect(response.headers.getSetCookie()).toEqual([gone])
    expect([await status(first), await status(second)]).toEqual([signedOut, isRuth])
  })

  test('without a session: 401', async () => {
    const response = await ask('POST', '/api/admin/logout')
    expect(await answerOf(response)).toEqual([401, { error: 'Unauthorized' }])
  })

  test('status removes the cookie of a session that has ended', async () => {
    const response = await ask('GET', '/api/admin/status', 'admin_session=old')
    expect(response.headers.getSetCookie()).toEqual([gone])
  })

  test('and none that was not sent: links from elsewhere come without it', async () => {
    expect((await ask('GET', '/api/admin/status')).headers.getSetCookie()).toEqual([])
  })
})

describe('every path but login and status', () => {
  const open = ['/api/admin/login', '/api/admin/status']
  const declared = Object.values(routes)
    .filter(({ path }) => path.startsWith('/api/admin/') && !open.includes(path))
    .map(({ method, path }): [string, string] => [method, path.replace(/:\w+/g, 'some')])
  test('is declared for administrators', () => {
    const others = Object.values(routes).filter(
      ({ access, path }) =>
        path.startsWith('/api/admin/') && !open.includes(path) && access !== 'admin',
    )
    expect(others).toEqual([])
    expect(declared.length).toBeGreaterThan(12)
  })

  const paths: [string, string][] = [
    ...declared,
    ['GET', '/api/admin'],
    ['GET', '/api/admin/'],
    ['GET', '/api/admin/nobody/knows'],
    ['GET', '/api/%61dmin/logs'],
    ['GET', '/api/admin/login'],
    ['POST', '/api/admin/status'],
    ['DELETE', '/api/admin/sites/x'],
    ['OPTIONS', '/api/admin/logs'],
  ]
  for (const [method, path] of paths) {
    test(`${method} ${path}: 401 without a session, also for who is signed in as an account`, async () => {
      for (const cookie of ['', await api().signedIn(alice)]) {
        const answer = await answerOf(await ask(method, path, cookie))
        expect(answer).toEqual([401, { error: 'Unauthorized' }])
      }
    })
  }

  test('with one, a path that there is not: 404', async () => {
    const answer = await answerOf(await ask('GET', '/api/admin/nobody', await signedIn()))
    expect(answer).toEqual([404, { error: 'Not found' }])
  })

  test('an administrator is nobody’s account', async () => {
    expect((await ask('GET', '/api/user/status', await signedIn())).status).toBe(401)
  })
})
