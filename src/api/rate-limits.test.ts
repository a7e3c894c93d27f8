import { describe, expect, test } from 'bun:test'
import { Context } from 'hono'
import type { ApiEnv } from '#api/context.ts'
import { type RateLimit, type RateLimitName, rateLimits } from '#api/contract/limits.ts'
import type { Route } from '#api/contract/route.ts'
import { routes } from '#api/contract/routes.ts'
import type { Did } from '#site/site-address.ts'
import { origin, testApi } from '#tests/support/api.ts'
import { alice, bob } from '#tests/support/database/sample-rows.ts'
import { RateLimits } from './rate-limits.ts'

const api = testApi()
const names = Object.keys(rateLimits) as RateLimitName[]
/** Of one test: larger limits, which the same guard applies, are reached without the rest of the application. */
const requestsMax = 120
/** Still larger ones are the limiter's: `src/concurrency/rate-limiter`. */
const countedMax = 2_000

interface Sender {
  readonly client?: string
  readonly cookie?: string
  readonly accept?: string
}

function ask(
  route: string,
  { client = '192.0.2.1', cookie = '', accept = 'application/json' }: Sender = {},
) {
  const [method = '', path = ''] = route.split(' ')
  const headers = { cookie, accept, 'x-forwarded-for': client }
  return api().request(path, { method, headers, ...(method === 'POST' && { body: '{}' }) })
}

function routeWith(name: RateLimitName): Route {
  const route = Object.values<Route>(routes).find(({ limit }) => limit === name)
  if (route === undefined) throw new Error(`no route has the limit ${name}`)
  return route
}

const routeOf = (name: RateLimitName): string => `${routeWith(name).method} ${routeWith(name).path}`

/** How many of so many requests are not refused as too many. */
async function allowed(times: number, route: string, senderOf: (i: number) => Sender) {
  let count = 0
  for (let i = 0; i < times; i++) {
    if ((await ask(route, senderOf(i))).status !== 429) count++
  }
  return count
}

/** How many of so many are let through. */
function counted(times: number, count: () => unknown): number {
  let passed = 0
  for (let i = 0; i < times; i++) {
    try {
      count()
      passed++
    } catch (error) {
      expect(error).toMatchObject({ status: 429 })
    }
  }
  return passed
}

describe('a client', () => {
  for (const name of names) {
    if (rateLimits[name].perClient > requestsMax) continue
    test(`${name}: so many, and others are not concerned`, async () => {
      const count = rateLimits[name].perClient
      expect(await allowed(count + 3, routeOf(name), () => ({}))).toBe(count)
      expect((await ask(routeOf(name), { client: '192.0.2.2' })).status).not.toBe(429)
    })
  }

  const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
  test.each([
    ['GET /api/auth/login', 'signIn', '10'],
    ['GET /api/auth/callback', 'callback', '5'],
  ] as const)('%s in a browser: is told so on the sign-in page', async (route, name, seconds) => {
    await allowed(rateLimits[name].perClient, route, () => ({}))
    const refused = await ask(route, browser)
    expect([refused.status, refused.headers.get('location')]).toEqual([
      302,
      '/?error=auth_failed&reason=too_many',
    ])
    expect(refused.headers.get('retry-after')).toBe(seconds)
  })

  test('a script of a page is told so in JSON, whatever it accepts', async () => {
    await allowed(rateLimits.signIn.perClient, 'POST /api/auth/signin', () => ({}))
    expect((await ask('POST /api/auth/signin', browser)).status).toBe(429)
  })

  test('is told when to try again, and may then', async () => {
    const { perClient } = rateLimits.signIn
    const route = routeOf('signIn')
    await allowed(perClient, route, () => ({}))
    const refused = await ask(route)
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '10'])
    expect(await refused.json()).toEqual({
      error: 'Too many sign-ins from your network. Try again in 10 seconds.',
    })
    api().now += 10_000
    expect((await ask(route)).status).toBe(302)
  })

  test('waits no longer for what it did while the clock was ahead', async () => {
    api().clockAheadMs = 86_400_000
    await ask(routeOf('signIn'))
    api().clockAheadMs = 0
    expect((await ask(routeOf('signIn'))).status).toBe(302)
  })

  test('is its /48, whatever address of it', async () => {
    const count = rateLimits.signIn.perClient
    const roaming = (i: number) => ({ client: `2001:db8:1:${i.toString(16)}::1` })
    expect(await allowed(count + 3, routeOf('signIn'), roaming)).toBe(count)
    expect((await ask(routeOf('signIn'), { client: '2001:db8:2::1' })).status).toBe(302)
  })

  test('is the one that its front names, not the one it names itself', async () => {
    const count = rateLimits.signIn.perClient
    const lying = (i: number) => ({ client: `198.51.100.${i % 250}, 192.0.2.1` })
    expect(await allowed(count + 3, routeOf('signIn'), lying)).toBe(count)
  })

  test('asks for one and the same, whatever stands in its path', async () => {
    const count = rateLimits.settings.perClient
    const settingsOf = (i: number) => `GET /api/site/${i % 7}/settings`
    let answered = 0
    for (let i = 0; i < count + 3; i++) if ((await ask(settingsOf(i))).status !== 429) answered++
    expect(answered).toBe(count)
    expect((await ask('GET /api/site/blog')).status).toBe(401)
  })

  test('does with HEAD what it does with GET', async () => {
    const count = rateLimits.signIn.perClient
    const route = 'HEAD /api/auth/login'
    expect(await allowed(count + 3, route, () => ({}))).toBe(count)
  })
})

describe('an account', () => {
  for (const name of names) {
    const limit = rateLimits[name]
    if (!('perAccount' in limit) || limit.perAccount > requestsMax) continue
    test(`${name}: so many, wherever it comes from, and others are not concerned`, async () => {
      const count = limit.perAccount
      const senderOf = async (did: Did) => {
        const cookie = await api().signedIn(did)
        return (i: number) => ({ cookie, client: `192.0.2.${i % 250}` })
      }
      expect(await allowed(count + 3, routeOf(name), await senderOf(alice))).toBe(count)
      expect(await allowed(1, routeOf(name), await senderOf(bob))).toBe(1)
    })
  }
})

const counting = names.filter((name) => rateLimits[name].perClient <= countedMax)

test.each(counting)('%s: the limit is exact, however many it lets through', (name) => {
  const { perClient, perAccount }: RateLimit = rateLimits[name]
  const limits = new RateLimits({ trustedProxies: [], elapsed: () => 0 })
  const from = new Context<ApiEnv>(new Request(origin))
  const route = routeWith(name)
  expect(counted(perClient + 3, () => limits.countClient(route, from))).toBe(perClient)
  if (perAccount === undefined) return
  expect(counted(perAccount + 3, () => limits.countAccount(route, alice))).toBe(perAccount)
  expect(counted(1, () => limits.countAccount(route, bob))).toBe(1)
})

test('what has no limit has none', async () => {
  expect(await allowed(400, 'GET /api/auth/status', () => ({}))).toBe(400)
})
