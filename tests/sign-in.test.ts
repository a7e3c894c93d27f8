import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { sql } from 'kysely'
import { openDatabase } from '#store/database.ts'
import { consentOverHttp } from '../devnet/consent.ts'
import { cookieHeader } from './support/api.ts'
import { startWorld, type World } from './support/world.ts'

const password = 'hunter2pass'
const failed = [302, '/?error=auth_failed', ['oauth=']]

let world: World
beforeAll(async () => {
  world = await startWorld()
}, 60_000)
afterAll(() => world[Symbol.asyncDispose]())

interface Begun {
  /** What the browser sends from now on. */
  readonly cookie: string
  readonly authorizeUrl: string
}

async function begin(handle = 'alice.test'): Promise<Begun> {
  const response = await fetch(`${world.app}/api/auth/signin`, {
    method: 'POST',
    body: JSON.stringify({ handle }),
  })
  const { url } = (await response.json()) as { url: string }
  return { cookie: cookieHeader(response.headers.getSetCookie()), authorizeUrl: url }
}

/** Signs in and consents at the account's server, which then sends the browser to this callback. */
async function consented(handle = 'alice.test'): Promise<Begun & { readonly callback: URL }> {
  const begun = await begin(handle)
  const callback = await consentOverHttp(begun.authorizeUrl, handle, password)
  return { ...begun, callback }
}

async function open(callback: URL, cookie: string): Promise<Response> {
  return await fetch(callback, { redirect: 'manual', headers: { cookie } })
}

/** Status, target, and the cookies that are set or removed. */
function outcomeOf(response: Response): unknown[] {
  const names = response.headers.getSetCookie().map((line) => line.slice(0, line.indexOf('=') + 1))
  return [response.status, response.headers.get('location'), names]
}

const changed = (callback: URL, change: (query: URLSearchParams) => void): URL => {
  const url = new URL(callback)
  change(url.searchParams)
  return url
}

async function inDatabase<T>(work: (db: ReturnType<typeof openDatabase>['db']) => Promise<T>) {
  await using database = openDatabase({ file: join(world.dataDir, 'sitehost.db') })
  return await work(database.db)
}

const countSessions = () =>
  inDatabase(async (db) => (await db.selectFrom('browserSessions').select('did').execute()).length)

const hasTokens = (did: string) =>
  inDatabase(async (db) => {
    const rows = db.selectFrom('sealedRows').select('key').where('kind', '=', 'oauth-session')
    return (await rows.execute()).some(({ key }) => key === did)
  })

/** Who is signed in with what this answer set. */
async function statusAfter(response: Response): Promise<unknown> {
  const cookie = cookieHeader(response.headers.getSetCookie())
  return await (await fetch(`${world.app}/api/auth/status`, { headers: { cookie } })).json()
}

async function fails(callback: URL, cookie: string): Promise<void> {
  const before = await countSessions()
  const response = await open(callback, cookie)
  expect(outcomeOf(response)).toEqual(failed)
  expect(await statusAfter(response)).toEqual({ authenticated: false })
  expect(await countSessions()).toBe(before)
}

describe('a callback that is not the answer to this browser’s sign-in (H36)', () => {
  test('foreign: opened in another browser, signed in or not; the one that began still may', async () => {
    const { callback, cookie } = await consented()
    await fails(callback, '')
    const other = await consented('bob.test')
    await fails(callback, other.cookie)
    const signedIn = await open(other.callback, other.cookie)
    const bobs = cookieHeader(signedIn.headers.getSetCookie())
    await fails(callback, bobs)
    const { headers } = await fetch(`${world.app}/api/auth/status`, { headers: { cookie: bobs } })
    expect(headers.getSetCookie()).toEqual([])
    expect((await open(callback, cookie)).headers.get('location')).toMatch(
      /^\/(onboarding|editor)$/,
    )
  }, 30_000)

  test('reused, with the nonce that was spent', async () => {
    const { callback, cookie } = await consented()
    expect((await open(callback, cookie)).headers.get('location')).toMatch(
      /^\/(onboarding|editor)$/,
    )
    await fails(callback, cookie)
  }, 30_000)

  test('expired', async () => {
    const { callback, cookie } = await consented()
    await inDatabase((db) =>
      sql`update sealed_rows set expires_at = ${Date.now() - 1} where kind = 'oauth-state'`.execute(
        db,
      ),
    )
    await fails(callback, cookie)
  }, 30_000)

  const changes: [string, (query: URLSearchParams) => void][] = [
    ['no code', (query) => query.delete('code')],
    ['no state', (query) => query.delete('state')],
    ['an unknown state', (query) => query.set('state', 'x'.repeat(32))],
    ['another issuer', (query) => query.set('iss', 'https://evil.example')],
    ['no issuer', (query) => query.delete('iss')],
    ['another code', (query) => query.set('code', `cod-${'0'.repeat(64)}`)],
    [
      'access denied',
      (query) => {
        query.delete('code')
        query.set('error', 'access_denied')
      },
    ],
    ['access denied, with a code', (query) => query.set('error', 'access_denied')],
    ['NUL', (query) => query.set('state', '\0')],
  ]
  for (const [what, change] of changes) {
    test(`${what}`, async () => {
      const { callback, cookie } = await consented()
      await fails(changed(callback, change), cookie)
    }, 30_000)
  }

  test('the code of somebody else’s sign-in, in one’s own: never their session', async () => {
    const [alices, bobs] = [await consented('alice.test'), await consented('bob.test')]
    const mixed = changed(alices.callback, (query) =>
      query.set('code', bobs.callback.searchParams.get('code') ?? ''),
    )
    await fails(mixed, alices.cookie)
  }, 30_000)

  test('denied on the account’s server', async () => {
    const { authorizeUrl, cookie } = await begin('carol.test')
    const callback = await consentOverHttp(authorizeUrl, 'carol.test', password, { reject: true })
    await fails(callback, cookie)
    const carol = world.network.accounts.find(({ handle }) => handle === 'carol.test')
    expect(await hasTokens(carol?.did ?? '')).toBe(false)
  }, 30_000)
})

describe('a new SECRET_KEY', () => {
  const [first, second] = ['1'.repeat(40), '2'.repeat(40)]
  const publish = async (client: Awaited<ReturnType<World['signedIn']>>, name: string) =>
    (await client.publish(name, [{ path: 'index.html', body: new Blob([name]) }]))['success']
  const authenticated = async (client: Awaited<ReturnType<World['signedIn']>>) =>
    ((await (await client.fetch('/api/auth/status')).json()) as { authenticated: boolean })
      .authenticated

  test('put first, it signs nobody out, and what the servers granted stays readable; alone, it does', async () => {
    await world.restart({ SECRET_KEY: first })
    const before = await world.signedIn('alice.test')
    expect(await publish(before, 'before')).toBe(true)

    await world.restart({ SECRET_KEY: `${second},${first}` })
    expect(await authenticated(before)).toBe(true)
    // Needs the account's tokens, which the old secret sealed.
    expect(await publish(before, 'between')).toBe(true)
    const after = await world.signedIn('bob.test')

    await world.restart({ SECRET_KEY: second })
    expect(await authenticated(before)).toBe(false)
    expect(await authenticated(after)).toBe(true)
    expect(await publish(after, 'after')).toBe(true)
    const again = await world.signedIn('alice.test')
    expect(await publish(again, 'again')).toBe(true)
  }, 120_000)
})
