import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { sql } from 'kysely'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { hashPassword } from '#api/session/admin-password.ts'
import { upsertAccount } from '#store/accounts/accounts.ts'
import { addAdmin } from '#store/accounts/admins.ts'
import { addCustomDomain } from '#store/names/custom-domains.ts'
import { claimSubdomain } from '#store/names/subdomains.ts'
import { createJob } from '#store/queues/jobs.ts'
import { recordVersion } from '#store/sites/record-version.ts'
import { hasBrowser, startBrowser } from '#tests/support/browser/browser.ts'
import { alice, bob, newJob, newVersion } from '#tests/support/database/sample-rows.ts'
import { ownPort } from '#tests/support/processes/own-port.ts'
import { certificate, certificateKey } from '#tests/support/servers/self-signed.ts'
import { baseDomain, cookieHeader, testApi } from './support/api.ts'

// On https, as in production. Below one registered domain are the worst neighbours there are: their
// requests carry every cookie, whatever its SameSite says.
const port = await ownPort()
const app = `https://app.sites.localhost:${port}`
const neighbour = `https://evil.sites.localhost:${port}`
const stranger = `https://evil.elsewhere.localhost:${port}`
const password = 'correct horse battery'
const passwordHash = await hashPassword(password)

const api = testApi({ baseUrl: app })

/** A request that reached the application, and what became of it. */
interface Arrived {
  readonly route: string
  readonly status: number
  readonly cookie: string
}

const customId = 'c'.repeat(26)
const jobId = crypto.randomUUID()
const parameters: Readonly<Record<string, string>> = {
  rkey: 'blog',
  id: customId,
  domain: `alice.${baseDomain}`,
  jobId,
}

interface MutatingRoute {
  readonly method: string
  readonly path: string
}

/**
 * Routes that change something, with ids of what there is: of each method one, and of the administrators one. What a
 * browser says of a request depends on its method and its page; tests/conformance asks every route what it makes of that.
 */
const mutating = (): MutatingRoute[] => {
  const all = api().app.routes.filter(({ method }) => !readMethods.includes(method))
  const kinds = Map.groupBy(all, ({ method, path }) => `${method} ${path.startsWith('/api/admin')}`)
  const forms = all.filter(({ path }) => path === readsForms)
  return [...new Set([...[...kinds.values()].flatMap((kind) => kind.slice(0, 1)), ...forms])].map(
    ({ method, path }) => ({
      method,
      path: path.replace(/:(\w+)/g, (_, name: string) => parameters[name] ?? 'unknown'),
    }),
  )
}
const readMethods = ['ALL', 'GET', 'HEAD', 'OPTIONS']
const readsForms = '/sitehost/upload-files'
const nameOf = ({ method, path }: MutatingRoute) => `${method} ${path}`

/** Fits any route that reads JSON. */
const body = JSON.stringify({
  ...{ handle: 'evil', domain: `alice.${baseDomain}`, id: customId, siteRkey: null },
  ...{ username: 'ruth', password, cleanUrls: true },
})

describe.skipIf(!hasBrowser)('a page of another origin, in a browser that is signed in', () => {
  let browser: Browser
  let server: Bun.Server<undefined>
  let context: BrowserContext
  let page: Page
  let arrived: Arrived[]

  beforeAll(async () => {
    browser = await startBrowser()
    server = Bun.serve({
      ...{ hostname: '127.0.0.1', port: Number(port), development: false },
      tls: { cert: certificate, key: certificateKey },
      async fetch(request, self) {
        if (new URL(request.url).host !== new URL(app).host) return evilPage()
        const response = await api().app.fetch(request, { server: self })
        const { pathname } = new URL(request.url)
        arrived.push({
          route: `${request.method} ${pathname}`,
          status: response.status,
          cookie: request.headers.get('cookie') ?? '',
        })
        return response
      },
    })
  }, 120_000)
  afterAll(async () => {
    await browser.close()
    await server.stop(true)
  })

  beforeEach(async () => {
    arrived = []
    await fill()
    context = await browser.newContext({ ignoreHTTPSErrors: true })
    page = await context.newPage()
  })

  const signIn = async () => {
    // One network may try a password only so often in a while.
    api().now += 60_000
    await keep(await api().signedIn(alice), 'Lax')
    const login = await api().request('/api/admin/login', {
      method: 'POST',
      body: JSON.stringify({ username: 'ruth', password }),
    })
    await keep(cookieHeader(login.headers.getSetCookie()), 'Strict')
  }

  const keep = async (header: string, sameSite: 'Lax' | 'Strict') => {
    const cookies = header.split('; ').map((pair) => {
      const at = pair.indexOf('=')
      const [name, value] = [pair.slice(0, at), pair.slice(at + 1)]
      return { name, value, url: app, httpOnly: true, secure: true, sameSite }
    })
    await context.addCookies(cookies)
  }

  const statusOf = (path: string) => page.evaluate(async (path) => (await fetch(path)).status, path)

  test('the same from a page of our own arrives: what fails below is not for want of a session', async () => {
    await signIn()
    await page.goto(app)
    for (const { method, path } of mutating()) {
      const status = await page.evaluate(
        async ([method, path, body]) => {
          return (await fetch(path, { method, body })).status
        },
        [method, path, body] as const,
      )
      expect([method, path, status === 403 || status === 401]).toEqual([method, path, false])
      await signIn()
    }
  }, 120_000)

  for (const [who, origin] of [
    ['below the same registered domain', neighbour],
    ['somewhere else', stranger],
  ] as const) {
    test(`${who}: no script changes anything`, async () => {
      await signIn()
      await page.goto(origin)
      const before = await everything()
      const routes = mutating()
      const read = await page.evaluate(tryAll, { app, routes, body })
      expect(read).toEqual([])
      await quiet()
      expect(await everything()).toEqual(before)
      const changes = arrived.filter(({ route }) => !/^(GET|OPTIONS) /.test(route))
      expect(changes.filter(({ status }) => status !== 403)).toEqual([])
      // What a browser lets through without asking first did arrive, and from next door with the session.
      const posts = routes.filter(({ method }) => method === 'POST').map(nameOf)
      expect(posts.filter((name) => !changes.some(({ route }) => route === name))).toEqual([])
      expect(changes.some(({ cookie }) => cookie.includes('__Host-sid='))).toBe(
        origin === neighbour,
      )
    }, 120_000)

    test(`${who}: no form changes anything`, async () => {
      await signIn()
      const before = await everything()
      const paths = mutating()
        .filter(({ method }) => method === 'POST')
        .map(({ path }) => path)
      expect(paths).toContain(readsForms)
      // A browser says the same of every kind of form; one route reads the other kind.
      const forms = [
        ...paths.map((path) => ({ path, enctype: 'text/plain' })),
        { path: readsForms, enctype: 'multipart/form-data' },
      ]
      for (const { path, enctype } of forms) {
        await page.goto(origin)
        const answered = page.waitForResponse((response) => response.url() === app + path)
        await page.evaluate(submitForm, { action: app + path, enctype, body })
        const answer = await answered
        await page.waitForURL(app + path)
        expect([path, answer.status()]).toEqual([path, 403])
      }
      expect(await everything()).toEqual(before)
    }, 120_000)

    test(`${who}: no link changes anything, or begins a sign-in`, async () => {
      await signIn()
      const before = await everything()
      const targets = [
        ...mutating()
          .slice(0, 1)
          .map(({ path }) => path),
        '/api/auth/callback?code=did:plc:bbbbbbbbbbbbbbbbbbbbbbbb&state=x',
        '/api/auth/login?handle=bob.test',
      ]
      for (const path of targets) {
        await page.goto(origin)
        await page.evaluate((href) => {
          const link = Object.assign(document.createElement('a'), { href })
          document.body.append(link)
          link.click()
        }, app + path)
        await page.waitForURL((url) => url.host === new URL(app).host, { waitUntil: 'commit' })
      }
      expect(await everything()).toEqual(before)
      const names = (await context.cookies(app)).map(({ name }) => name).sort()
      expect(names).toEqual(['__Host-admin_device', '__Host-sid', 'admin_session', 'did'])
    }, 120_000)
  }

  describe('cookies tossed from next door', () => {
    /** Sets cookies for the registered domain, as any page below it may. */
    const toss = async (header: string) => {
      await page.goto(neighbour)
      await page.evaluate((header) => {
        for (const pair of header.split('; ')) {
          for (const path of ['/', '/api', '/api/user', '/sitehost']) {
            // biome-ignore lint/suspicious/noDocumentCookie: what an attacker does
            document.cookie = `${pair}; Domain=sites.localhost; Path=${path}; Secure`
          }
        }
      }, header)
      await page.goto(app)
    }

    test('do not sign anybody in as somebody else', async () => {
      await toss(await api().signedIn(bob))
      expect(await statusOf('/api/user/status')).toBe(401)
      await page.goto(`${app}/api/auth/status`)
      expect(await page.textContent('body')).toContain('"authenticated":false')
    }, 120_000)

    test('sign out at most who is signed in', async () => {
      await signIn()
      await toss(await api().signedIn(bob))
      const before = await everything()
      expect(await statusOf('/api/user/status')).toBe(401)
      const claim = await page.evaluate(
        async (body) => (await fetch('/api/domain/claim', { method: 'POST', body })).status,
        body,
      )
      expect(claim).toBe(401)
      expect(await everything()).toEqual(before)
    }, 120_000)

    test('with names that are bound to the host are not taken by the browser', async () => {
      const header = await api().signedIn(bob)
      await toss(header)
      const names = (await context.cookies(app)).map(({ name }) => name)
      expect(names).toContain('did')
      expect(names).not.toContain('__Host-sid')
    }, 120_000)

    test('of an administrator: signed out, never somebody else', async () => {
      await signIn()
      await toss('admin_session=forged; __Host-admin_device=forged')
      expect(await statusOf('/api/admin/logs')).toBe(401)
    }, 120_000)
  })

  /** What one could change, and has: a site, names, a job, a session, an administrator. */
  async function fill(): Promise<void> {
    const { db } = api()
    await upsertAccount(db, { did: alice }, 1)
    await recordVersion(db, newVersion(), 1)
    const limits = { subdomainsMax: 3, now: 1 }
    await claimSubdomain(db, { did: alice, domain: `alice.${baseDomain}` }, limits)
    await addCustomDomain(
      db,
      { did: alice, id: customId, domain: 'alice.com' },
      { pendingMax: 5, domainsMax: 5, now: 1 },
    )
    await createJob(db, newJob({ id: jobId }), { queuedMax: 5, now: 1 })
    await addAdmin(db, { id: 'id-of-ruth', name: 'ruth', passwordHash, createdAt: 1 })
  }

  /** All rows of all tables, what was written to accounts, and who has a session there. */
  async function everything(): Promise<unknown> {
    const { db, network } = api()
    const tables = await db.introspection.getTables()
    const rows: Record<string, unknown> = {}
    for (const { name } of tables) {
      rows[name] = (await sql`select * from ${sql.table(name)}`.execute(db)).rows
    }
    return { rows, written: [...network.written], sessions: [...network.sessions] }
  }

  /** A request of our own, made after the page's, has been answered: beacons are on their way no more. */
  async function quiet(): Promise<void> {
    await page.goto(app)
  }
})

function evilPage(): Response {
  return new Response('<!doctype html><title>evil</title><body>', {
    headers: { 'content-type': 'text/html' },
  })
}

interface Attack {
  readonly app: string
  readonly routes: readonly MutatingRoute[]
  readonly body: string
}

/** In the page: every way a script has to send something. Returns what it could read of answers. */
async function tryAll({ app, routes, body }: Attack): Promise<string[]> {
  const read: string[] = []
  const json = { 'content-type': 'application/json' }
  for (const { method, path } of routes) {
    const url = app + path
    const ways: [string, RequestInit][] = [
      ['json', { method, body, headers: json, credentials: 'include' }],
      ['text', { method, body, credentials: 'include' }],
      ['no-cors', { method, body, credentials: 'include', mode: 'no-cors' }],
      ['form', { method, body: new FormData(), credentials: 'include', mode: 'no-cors' }],
      ['keepalive', { method, body, credentials: 'include', mode: 'no-cors', keepalive: true }],
    ]
    for (const [way, init] of ways) {
      const response = await fetch(url, init).catch(() => null)
      if (response !== null && response.type !== 'opaque') read.push(`${way} ${method} ${path}`)
    }
    navigator.sendBeacon(url, body)
    await new Promise<void>((resolve) => {
      const request = new XMLHttpRequest()
      request.open(method, url)
      request.withCredentials = true
      request.onloadend = () => resolve()
      request.onload = () => read.push(`xhr ${method} ${path}`)
      request.send(body)
    })
  }
  return read
}

/** In the page: a form that is JSON by its one field, sent as a navigation of the whole page. */
function submitForm({ action, enctype, body }: { action: string; enctype: string; body: string }) {
  const form = Object.assign(document.createElement('form'), { method: 'post', action, enctype })
  const field = Object.assign(document.createElement('input'), {
    type: 'hidden',
    name: `${body.slice(0, -1)},"x":"`,
    value: '"}',
  })
  form.append(field)
  document.body.append(form)
  form.submit()
}
