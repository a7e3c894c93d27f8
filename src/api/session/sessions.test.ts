import { describe, expect, test } from 'bun:test'
import { cookieHeader, testApi } from '#tests/support/api.ts'
import { alice, bob } from '#tests/support/database/sample-rows.ts'
import { setCookie } from './cookies.ts'
import { KeyRing } from './key-ring.ts'
import { BrowserSessions, sessionIdleMs } from './sessions.ts'

const api = testApi()
const dayMs = 24 * 60 * 60 * 1000
const secret = 'k'.repeat(32)

const open = (secrets: readonly [string, ...string[]] = [secret], secure = false) =>
  new BrowserSessions({ db: api().db, keys: new KeyRing(secrets), secure, now: () => api().now })

const read = async (cookie: string, headers: Record<string, string> = {}, sessions = open()) =>
  (await sessions.read(new Headers({ cookie, ...headers })))?.did ?? null

/** The two pairs of a browser that has just signed in. */
async function pairs(did = alice): Promise<[string, string]> {
  const [signed = '', sid = ''] = (await open().start(did)).cookies
  return [cookieHeader([signed]), cookieHeader([sid])]
}

const browser = { 'sec-fetch-site': 'same-origin' }

test('both cookies of one sign-in: signed in, browser or not', async () => {
  const cookie = (await pairs()).join('; ')
  expect(await read(cookie)).toBe(alice)
  expect(await read(cookie, browser)).toBe(alice)
})

describe('without `sid`, which a hosted site cannot set', () => {
  const facts: [string, Record<string, string>, typeof alice | null][] = [
    ['a program', {}, alice],
    ['a browser', browser, null],
    ['a browser that another site sends', { 'sec-fetch-site': 'cross-site' }, null],
    ['an older browser', { origin: 'http://127.0.0.1:3000' }, null],
  ]
  for (const [who, headers, expected] of facts) {
    test(`${who}: ${expected === null ? 'signed out' : 'signed in'}`, async () => {
      const [did] = await pairs()
      expect(await read(did, headers)).toBe(expected)
    })
  }
})

describe('signed out', () => {
  const facts: [string, (mine: [string, string], theirs: [string, string]) => string][] = [
    ['no cookies', () => ''],
    ['only `sid`', ([, sid]) => sid],
    ['`did` twice', ([did, sid]) => [did, did, sid].join('; ')],
    ['`did` of two accounts', ([did, sid], [other]) => [other, did, sid].join('; ')],
    ['`sid` twice', ([did, sid]) => [did, sid, sid].join('; ')],
    ['`sid` of another account', ([did], [, other]) => [did, other].join('; ')],
    ['an empty `sid`', ([did]) => `${did}; sid=`],
    ['tampered', ([did, sid]) => [did.replace('plc:a', 'plc:b'), sid].join('; ')],
    ['unsigned', ([, sid]) => `did=${alice}; ${sid}`],
    ['`did` with the value of `sid`', ([, sid]) => `did=${sid.slice(4)}; ${sid}`],
    ['`sid` with the value of `did`', ([did]) => `${did}; sid=${did.slice(4)}`],
  ]
  for (const [what, cookieOf] of facts) {
    test(what, async () => {
      expect(await read(cookieOf(await pairs(alice), await pairs(bob)))).toBeNull()
    })
  }

  test('over HTTP the same: 401, never a failure (H35)', async () => {
    const hostile = [
      'did=%',
      'did=|||',
      'did="a"; sid="b"',
      `did=${'|'.repeat(4000)}`,
      'did=\xff|1|2|3',
    ]
    const [mine, theirs] = [await pairs(alice), await pairs(bob)]
    for (const cookie of [...hostile, ...facts.map(([, cookieOf]) => cookieOf(mine, theirs))]) {
      const response = await api().request('/api/user/status', { headers: { cookie } })
      expect([cookie.slice(0, 40), response.status]).toEqual([cookie.slice(0, 40), 401])
    }
  })

  test('a cookie that we signed for a session nobody has', async () => {
    const cookie = (await pairs()).join('; ')
    await api().db.deleteFrom('browserSessions').execute()
    expect(await read(cookie)).toBeNull()
  })
})

describe('time', () => {
  const use = async (cookie: string, ...days: number[]) => {
    let did: typeof alice | null = null
    const start = api().now
    for (const day of days) {
      api().now = start + day * dayMs
      did = await read(cookie)
    }
    return did
  }
  const facts: [string, number[], typeof alice | null][] = [
    ['13 days unused', [13.99], alice],
    ['14 days unused', [14], null],
    ['used now and then', [10, 20, 29.99], alice],
    ['30 days old, however often used', [10, 20, 30], null],
  ]
  for (const [what, days, expected] of facts) {
    test(`${what}: ${expected === null ? 'ended' : 'goes on'}`, async () => {
      expect(await use((await pairs()).join('; '), ...days)).toBe(expected)
    })
  }

  test('being seen is written down at most once an hour', async () => {
    const cookie = (await pairs()).join('; ')
    const seenAt = async () =>
      (await api().db.selectFrom('browserSessions').select('seenAt').executeTakeFirstOrThrow())
        .seenAt
    const start = api().now
    api().now = start + 3_600_000
    await read(cookie)
    expect(await seenAt()).toBe(start)
    api().now = start + 3_600_001
    await read(cookie)
    expect(await seenAt()).toBe(start + 3_600_001)
  })
})

test('whether a session lasts is asked without using it', async () => {
  const [[did, sid], [, theirs]] = [await pairs(), await pairs(bob)]
  const lasts = (cookie: string) => open().lasts(new Headers({ cookie, ...browser }))
  expect(await lasts(`${did}; ${sid}`)).toBe(true)
  expect([await lasts(''), await lasts(`${did}; ${theirs}`)]).toEqual([false, false])
  const begun = api().now
  api().now = begun + sessionIdleMs - 1
  expect(await lasts(`${did}; ${sid}`)).toBe(true)
  api().now = begun + sessionIdleMs
  expect(await lasts(`${did}; ${sid}`)).toBe(false)
})

test('ending one browser leaves the others, and tells when it was the last', async () => {
  const [first, second] = [(await pairs()).join('; '), (await pairs()).join('; ')]
  const end = async (cookie: string) => {
    const session = await open().read(new Headers({ cookie }))
    return session && (await open().end(session))
  }
  expect(await end(first)).toBe(false)
  expect([await read(first), await read(second)]).toEqual([null, alice])
  expect(await end(second)).toBe(true)
})

test('every sign-in has an id of its own, and the database holds none', async () => {
  const [, sid] = await pairs()
  const [, other] = await pairs()
  expect(sid).toMatch(/^sid=[\w-]{43}$/)
  expect(other).not.toBe(sid)
  const rows = JSON.stringify(await api().db.selectFrom('browserSessions').selectAll().execute())
  expect(rows).not.toContain(sid.slice(4))
})

test('sessions outlive a new secret, and end when theirs retires', async () => {
  const cookie = (await pairs()).join('; ')
  const next = 'n'.repeat(32)
  expect(await read(cookie, {}, open([next, secret]))).toBe(alice)
  expect(await read(cookie, {}, open([next]))).toBeNull()
})

test('on https the cookies are Secure and `sid` is bound to the host', async () => {
  const sessions = open([secret], true)
  const { cookies } = await sessions.start(alice)
  expect(cookies.map((line) => line.replace(/=[^;]*/, '='))).toEqual([
    'did=; Path=/; HttpOnly; SameSite=Lax; Max-Age=2592000; Secure',
    '__Host-sid=; Path=/; HttpOnly; SameSite=Lax; Max-Age=2592000; Secure',
  ])
  const cookie = cookieHeader(cookies)
  expect(await read(cookie, browser, sessions)).toBe(alice)
  expect(await read(cookie.replace('__Host-', ''), browser, sessions)).toBeNull()
})

test('both cookies are removed as they were set', () => {
  const gone = { maxAgeSeconds: 0, secure: false }
  expect(open().expired()).toEqual([setCookie('did', '', gone), setCookie('sid', '', gone)])
})
