import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { sql } from 'kysely'
import { openDatabase } from '#store/database/database.ts'
import { readPdsTokens } from '#tests/support/publishing/pds-tokens.ts'
import type { AppClient } from '../devnet/app-client.ts'
import { consentOverHttp } from '../devnet/consent.ts'
import { cookieHeader } from './support/api.ts'
import { eventually } from './support/eventually.ts'
import { startWorld, type World } from './support/world.ts'

const password = 'hunter2pass'
const failed = [302, '/?error=auth_failed', ['oauth=']]

let world: World
beforeAll(async () => {
  world = await startWorld({ canFail: true })
}, 120_000)
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

/** Sealed; undefined when it has none. */
const tokensOf = (did: string) =>
  inDatabase(async (db) => {
    const rows = db.selectFrom('sealedRows').select('sealed').where('kind', '=', 'oauth-session')
    return (await rows.where('key', '=', did).executeTakeFirst())?.sealed
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
  }, 120_000)

  test('reused, with the nonce that was spent', async () => {
    const { callback, cookie } = await consented()
    expect((await open(callback, cookie)).headers.get('location')).toMatch(
      /^\/(onboarding|editor)$/,
    )
    await fails(callback, cookie)
  }, 120_000)

  test('expired', async () => {
    const { callback, cookie } = await consented()
    await inDatabase((db) =>
      sql`update sealed_rows set expires_at = ${Date.now() - 1} where kind = 'oauth-state'`.execute(
        db,
      ),
    )
    await fails(callback, cookie)
  }, 120_000)

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
    }, 120_000)
  }

  test('the code of somebody else’s sign-in, in one’s own: never their session', async () => {
    const [alices, bobs] = [await consented('alice.test'), await consented('bob.test')]
    const mixed = changed(alices.callback, (query) =>
      query.set('code', bobs.callback.searchParams.get('code') ?? ''),
    )
    await fails(mixed, alices.cookie)
  }, 120_000)

  test('denied on the account’s server', async () => {
    const { authorizeUrl, cookie } = await begin('carol.test')
    const callback = await consentOverHttp(authorizeUrl, 'carol.test', password, { reject: true })
    await fails(callback, cookie)
    const carol = world.network.accounts.find(({ handle }) => handle === 'carol.test')
    expect(await tokensOf(carol?.did ?? '')).toBeUndefined()
  }, 120_000)
})

describe('one account in several browsers', () => {
  const handle = 'carol.test'
  const page = [{ path: 'index.html', body: new Blob(['hello']) }]
  const signOut = (client: AppClient) => client.fetch('/api/auth/logout', { method: 'POST' })
  const statusOf = async (client: AppClient) =>
    await (await client.fetch('/api/auth/status')).json()
  const didOf = () => world.network.accounts.find((each) => each.handle === handle)?.did ?? ''
  /** What the account's server has granted us and still would take. */
  const grants = () => readPdsTokens(world.networkDir).filter(({ did }) => did === didOf()).length

  test('has one grant at its server, with which all of them work, and none after the last', async () => {
    const browsers = [
      await world.signedIn(handle),
      await world.signedIn(handle),
      await world.signedIn(handle),
    ]
    expect(grants()).toBe(1)
    for (const [n, browser] of browsers.entries()) {
      expect(await browser.publish(`from-${n}`, page)).toMatchObject({ success: true })
    }
    for (const browser of browsers) {
      expect(grants()).toBe(1)
      await signOut(browser)
    }
    expect(grants()).toBe(0)
  }, 120_000)

  test('what one publishes goes on when another signs in', async () => {
    const first = await world.signedIn(handle)
    const held = { 'com.atproto.repo.uploadBlob': { after: 2, hold: true } }
    world.network.setFaults(held)
    const files = Array.from({ length: 12 }, (_, n) => ({
      ...{ path: `${n}.html`, body: new Blob([`page ${n}, ${crypto.randomUUID()}`]) },
    }))
    const { jobId } = (await (await first.upload('held', files)).json()) as { jobId: string }
    await eventually(async () => {
      const stream = await first.fetch(`/sitehost/upload-progress/${jobId}`)
      const reader = stream.body?.getReader()
      const { value } = (await reader?.read()) ?? {}
      await reader?.cancel()
      expect(new TextDecoder().decode(value)).toContain('"filesUploaded":2')
    })
    await world.signedIn(handle)
    expect(grants()).toBe(1)
    world.network.setFaults({})
    const { result, error } = await first.watch(jobId)
    expect([error, result]).toMatchObject([null, { success: true, fileCount: files.length }])
  }, 120_000)

  test('one signs out while another is signing in: the other stays', async () => {
    await inDatabase((db) => sql`delete from browser_sessions where did = ${didOf()}`.execute(db))
    const first = await world.signedIn(handle)
    const { callback, cookie } = await consented(handle)
    world.network.setFaults({ 'com.atproto.repo.listRecords': { hold: true } })
    const before = await tokensOf(didOf())
    const coming = open(callback, cookie)
    await eventually(async () => expect(await tokensOf(didOf())).not.toBe(before))
    await signOut(first)
    world.network.setFaults({})
    expect(await statusAfter(await coming)).toEqual({ authenticated: true, did: didOf() })
    expect(await statusOf(first)).toEqual({ authenticated: false })
  }, 120_000)
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
