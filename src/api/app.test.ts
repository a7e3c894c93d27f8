import { describe, expect, test } from 'bun:test'
import { routes as contract } from '#api/contract/routes.ts'
import { createJob } from '#store/queues/jobs.ts'
import { inlineScript, longScript, origin, testApi } from '#tests/support/api.ts'
import { alice, newJob } from '#tests/support/database/sample-rows.ts'

const api = testApi()

const open = new Set([
  'GET /api/auth/login',
  'GET /invitation/:code',
  'POST /api/report',
  'GET /report',
  'POST /report',
  'POST /api/page-errors',
  'POST /api/auth/signin',
  'GET /api/auth/callback',
  'POST /api/auth/logout',
  'GET /api/auth/status',
  'POST /api/tokens/exchange',
  'GET /api/domain/check',
  'GET /api/domain/registered',
  'POST /api/admin/login',
  'GET /api/admin/status',
  'GET /oauth-client-metadata.json',
  'GET /jwks.json',
  'GET /healthz',
  'GET /readyz',
  'GET /metrics',
  'GET /api/openapi.json',
  'GET /api/docs',
  'GET /api/docs.css',
  'GET /*',
])
const safe = new Set(['GET', 'HEAD', 'OPTIONS'])

/** Every route there is, whoever adds one; middleware is registered for all methods. */
const routes = () =>
  api()
    .app.routes.filter(({ method }) => method !== 'ALL')
    .map(({ method, path }) => ({ method, path, name: `${method} ${path}` }))
const answerOf = async (response: Response) => [response.status, await response.json()]
const pathOf = (path: string) => path.replace(/:\w+/g, 'x').replace('*', 'x')

describe('the route table', () => {
  test('holds what the contract declares, the pages of the web app, and nothing else', () => {
    const declared = Object.values(contract).map(({ method, path }) => `${method} ${path}`)
    expect(
      routes()
        .map(({ name }) => name)
        .toSorted(),
    ).toEqual([...declared, 'GET /*'].toSorted())
  })

  test('holds every route that is open to all, and routes that are not', () => {
    const names = new Set(routes().map(({ name }) => name))
    expect([...open].filter((name) => !names.has(name))).toEqual([])
    expect(names.size).toBeGreaterThan(open.size)
  })

  test('every other route refuses without a session', async () => {
    for (const { method, path, name } of routes().filter((route) => !open.has(route.name))) {
      const answer = await answerOf(await api().request(pathOf(path), { method }))
      expect([name, ...answer]).toEqual([name, 401, { error: 'Unauthorized' }])
    }
  })

  test('every route that changes something refuses other origins, signed in or not', async () => {
    for (const cookie of ['', await api().signedIn(alice)]) {
      for (const { method, path, name } of routes().filter((route) => !safe.has(route.method))) {
        const type = { 'content-type': 'application/json' }
        const headers = { cookie, 'sec-fetch-site': 'cross-site', ...type }
        const answer = await answerOf(await api().request(pathOf(path), { method, headers }))
        expect([name, ...answer]).toEqual([name, 403, { error: 'Cross-origin request refused' }])
      }
    }
  })
})

describe('which senders may change something', () => {
  const facts: [Record<string, string>, boolean][] = [
    [{}, true],
    [{ 'sec-fetch-site': 'same-origin' }, true],
    [{ 'sec-fetch-site': 'same-origin', origin: 'https://evil.test' }, true],
    [{ 'sec-fetch-site': 'same-site', origin }, false],
    [{ 'sec-fetch-site': 'cross-site', origin }, false],
    [{ 'sec-fetch-site': 'none' }, false],
    [{ 'sec-fetch-site': '' }, false],
    [{ origin }, true],
    [{ origin: 'null' }, false],
    [{ origin: `${origin}.evil.test` }, false],
    [{ origin: origin.replace('http:', 'https:') }, false],
    [{ origin: 'http://127.0.0.1' }, false],
    [{ origin: 'https://evil.test', 'x-forwarded-host': 'evil.test' }, false],
  ]
  for (const [headers, isAllowed] of facts) {
    test(`${JSON.stringify(headers)}: ${isAllowed ? 'yes' : 'no'}`, async () => {
      const { status } = await api().request('/api/auth/logout', { method: 'POST', headers })
      expect(status).toBe(isAllowed ? 200 : 403)
    })
  }
})

describe('what is not there', () => {
  const facts: [string, string][] = [
    ['GET', '/api/unknown'],
    ['GET', '/api'],
    ['GET', '/api/'],
    ['GET', '/api/auth/signin'],
    ['POST', '/api/auth/login'],
    ['DELETE', '/api/auth/status'],
    ['PUT', '/healthz'],
    ['GET', '/nobody.html'],
    ['GET', '//'],
    ['GET', '/%'],
    ['GET', '/%00'],
    ['GET', '/assets/../assets/app-1a2b.js/'],
    ['GET', '/constructor'],
    ['OPTIONS', '/'],
    ['POST', '/'],
  ]
  for (const [method, path] of facts) {
    test(`${method} ${path}`, async () => {
      const response = await api().request(path, { method })
      expect(response.headers.get('cache-control')).toBe('no-store')
      expect(response.headers.get('access-control-allow-origin')).toBeNull()
      expect(await answerOf(response)).toEqual([404, { error: 'Not found' }])
    })
  }

  test('below a signed-in section, for who is signed in', async () => {
    const headers = { cookie: await api().signedIn(alice) }
    for (const path of ['/api/user/unknown', '/sitehost/unknown', '/sitehost/upload-files']) {
      const answer = await answerOf(await api().request(path, { headers }))
      expect([path, ...answer]).toEqual([path, 404, { error: 'Not found' }])
    }
  })
})

describe('the web app', () => {
  const facts: [string, string, string][] = [
    ['/', 'no-cache', '<h1>app</h1>'],
    ['/?error=auth_failed', 'no-cache', '<h1>app</h1>'],
    ['/assets/app-1a2b.js', 'public, max-age=31536000, immutable', longScript],
  ]
  for (const [path, cacheControl, body] of facts) {
    test(path, async () => {
      const [get, head] = [await api().request(path), await api().request(path, { method: 'HEAD' })]
      expect([get.status, await get.text()]).toEqual([200, body])
      expect(get.headers.get('cache-control')).toBe(cacheControl)
      expect(await head.text()).toBe('')
    })
  }
})

describe('a page in several languages', () => {
  test.each([
    ['', '', 'en'],
    ['de-AT,en;q=0.8', '', 'de'],
    ['en,de;q=0.5', '', 'en'],
    ['fr,de;q=0.5', '', 'de'],
    ['de;q=0', '', 'en'],
    ['de', 'other=1; locale=en', 'en'],
    ['en', 'locale=de', 'de'],
    ['en', 'locale=%', 'en'],
  ])('for who accepts %p, with the cookie %p, is in %p', async (languages, cookie, locale) => {
    const headers = { 'accept-language': languages, cookie }
    const answer = await api().request('/', { headers })
    expect(await answer.text()).toBe(locale === 'de' ? '<h1>App</h1>' : '<h1>app</h1>')
    expect(answer.headers.get('content-language')).toBe(locale)
    expect(answer.headers.get('vary')).toBe('Accept-Language, Cookie')
    expect(answer.headers.get('cache-control')).toBe('no-cache')
  })

  test('is not the same as in the other, for who has it', async () => {
    const english = await api().request('/')
    const known = { 'if-none-match': english.headers.get('etag') ?? '' }
    const again = await api().request('/', { headers: known })
    expect([again.status, again.headers.get('vary')]).toEqual([304, 'Accept-Language, Cookie'])
    const german = await api().request('/', { headers: { ...known, 'accept-language': 'de' } })
    expect(german.status).toBe(200)
  })
})

describe('where there is nothing', () => {
  const ask = (accept: string, method = 'GET') =>
    api().request('/editor/old', { method, headers: { accept } })

  test('a browser is shown a page', async () => {
    const answer = await ask('text/html,*/*;q=0.8')
    expect([answer.status, await answer.text()]).toEqual([404, '<h1>app</h1>'])
    expect(answer.headers.get('content-type')).toContain('text/html')
  })

  test.each([
    ['*/*', 'GET'],
    ['application/json', 'GET'],
    ['text/html', 'POST'],
  ])('who accepts %s, with %s, is told so in JSON', async (accept, method) => {
    const answer = await ask(accept, method)
    expect([answer.status, await answer.json()]).toEqual([404, { error: 'Not found' }])
  })
})

describe('the administrator’s area', () => {
  const did = 'did:plc:aaaaaaaaaaaaaaaaaaaaaaaa'
  const facts: [string, number][] = [
    ['/admin', 200],
    ['/admin/logs?search=x', 200],
    [`/admin/accounts/${did}`, 200],
    [`/admin/accounts/${encodeURIComponent(did)}`, 200],
    [`/admin/sites/${did}/a.b_c~d`, 200],
    ['/admin/', 200],
    ['/admin/nothing', 404],
    ['/admin/logs/1', 404],
    ['/admin/accounts/alice.test', 404],
    [`/admin/accounts/${did}/more`, 404],
    [`/admin/sites/${did}`, 404],
    [`/admin/sites/${did}/%E0%A4%A/x`, 404],
  ]
  for (const [path, status] of facts) {
    test(`${path}: ${status}, with its document`, async () => {
      const answer = await api().request(path, { headers: { accept: 'text/html' } })
      expect([answer.status, await answer.text()]).toEqual([status, '<h1>area</h1>'])
    })
  }
})

describe('security headers', () => {
  const always = {
    'content-security-policy':
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; " +
      "connect-src 'self'; manifest-src 'self'; frame-src http://*.test; " +
      "form-action 'self' https: http:; base-uri 'none'; frame-ancestors 'none'",
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'strict-origin-when-cross-origin',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
  }
  const facts: [string, string, number][] = [
    ['GET', '/', 200],
    ['GET', '/api/auth/status', 200],
    ['GET', '/api/auth/login', 302],
    ['GET', '/api/user/status', 401],
    ['POST', '/api/auth/signin', 400],
    ['GET', '/api/unknown', 404],
    ['GET', '/readyz', 503],
  ]
  for (const [method, path, status] of facts) {
    test(`on ${status} of ${method} ${path}`, async () => {
      api().isReady = false
      const response = await api().request(path, { method })
      expect(response.status).toBe(status)
      expect(Object.fromEntries(response.headers)).toMatchObject(always)
      expect(response.headers.has('strict-transport-security')).toBe(false)
      if (path !== '/') expect(response.headers.get('cache-control')).toBe('no-store')
    })
  }
})

test('the policy of a document allows the one script in it, also when it has not changed', async () => {
  const policyOf = async (path: string, headers = {}) => {
    const answer = await api().request(path, { headers: { accept: 'text/html', ...headers } })
    return [
      answer.status,
      /script-src [^;]*/.exec(answer.headers.get('content-security-policy') ?? '')?.[0],
      answer.headers.get('etag') ?? '',
    ]
  }
  const allowed = `script-src 'self' 'sha256-${new Bun.CryptoHasher('sha256').update(inlineScript).digest('base64')}'`
  const [status, policy, etag] = await policyOf('/account')
  expect([status, policy]).toEqual([200, allowed])
  expect((await policyOf('/account', { 'if-none-match': etag })).slice(0, 2)).toEqual([
    304,
    allowed,
  ])
  expect((await policyOf('/'))[1]).toBe("script-src 'self'")
})

describe('on https', () => {
  const secure = testApi({ baseUrl: 'https://sitehost.example' })
  test('browsers are told to stay there', async () => {
    const { headers } = await secure().request('/')
    expect(headers.get('strict-transport-security')).toBe('max-age=31536000')
  })
})

describe('HEAD, over a connection', () => {
  for (const path of ['/', '/assets/app-1a2b.js', '/healthz', '/api/auth/status', '/nobody']) {
    test(`${path} is as long as to GET`, async () => {
      await using server = Bun.serve({
        port: 0,
        hostname: '127.0.0.1',
        fetch: (request) => api().app.fetch(request, {}),
      })
      const ask = async (method: string) => {
        const { status, headers } = await fetch(new URL(path, server.url), { method })
        return [status, headers.get('content-length'), headers.get('cache-control')]
      }
      expect(await ask('HEAD')).toEqual(await ask('GET'))
    })
  }
})

test('HEAD of what is made while it is sent says no length, rather than a wrong one', async () => {
  await using server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: (request) => api().app.fetch(request, {}),
  })
  const job = newJob()
  await createJob(api().db, job, { queuedMax: 5, now: 1 })
  const headers = { cookie: await api().signedIn(alice) }
  for (const path of ['/api/user/export', `/sitehost/upload-progress/${job.id}`]) {
    const answer = await fetch(new URL(path, server.url), { method: 'HEAD', headers })
    expect([answer.status, answer.headers.get('content-length')]).toEqual([200, null])
  }
})

test('healthz says that the process is up, readyz whether it can do its work', async () => {
  api().isReady = false
  const statuses = async () => [
    (await api().request('/healthz')).status,
    (await api().request('/readyz')).status,
  ]
  expect(await statuses()).toEqual([200, 503])
  const unready = await api().request('/readyz')
  expect(unready.headers.get('retry-after')).toBe('5')
  expect(await unready.text()).toBe('not ready\nSomething is away.')
  api().isReady = true
  expect(await statuses()).toEqual([200, 200])
})
