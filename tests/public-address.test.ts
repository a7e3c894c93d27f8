import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { scopes } from '#atproto/oauth/oauth-client.ts'
import { expireTokens, openStoredSessions } from '#tests/support/database/stored-sessions.ts'
import {
  type PublicWorld,
  publicOrigin,
  startPublicWorld,
} from '#tests/support/processes/public-world.ts'
import { runCommand } from '#tests/support/processes/run-command.ts'
import {
  endSessionsOnServer,
  type PdsToken,
  readPdsTokens,
} from '#tests/support/publishing/pds-tokens.ts'
import type { AppClient, UploadFile } from '../devnet/app-client.ts'

// A service at a public address: account servers know it by its keys, and everything goes over https.

let world: PublicWorld
beforeAll(async () => {
  world = await startPublicWorld()
}, 300_000)
afterAll(() => world?.[Symbol.asyncDispose]())

const clientId = `${publicOrigin}/oauth-client-metadata.json`
const page: UploadFile[] = [{ path: 'index.html', body: new Blob(['<h1>hello</h1>']) }]

const read = async (path: string) =>
  (await (await world.names.fetch(new URL(path, publicOrigin), {})).json()) as Record<
    string,
    unknown
  >
const keyIds = async () =>
  ((await read('/jwks.json'))['keys'] as { kid: string }[]).map(({ kid }) => kid)
const statusOf = async (client: AppClient) => (await client.fetch('/api/auth/status')).json()

/** Whether the account's server still does what the service asks. */
async function works(client: AppClient): Promise<boolean> {
  const answer = await client.fetch('/api/site/blog/settings')
  return answer.status === 200
}

const storedSessions = () => ({
  database: { file: join(world.environment['DATA_DIR'] ?? '', 'sitehost.db') },
  secret: world.secret,
})
const expire = (handle: string) => expireTokens(world.didOf(handle), storedSessions())

const tokensOf = (handle: string) =>
  readPdsTokens(world.networkDir).filter(({ did }) => did === world.didOf(handle))

/** The newest session that the account's server has for an account. */
const tokenOf = (handle: string): PdsToken | undefined => tokensOf(handle).at(-1)

test('account servers read who it is, and its public keys only', async () => {
  expect(await read('/oauth-client-metadata.json')).toEqual({
    client_id: clientId,
    client_name: 'Public Sites',
    client_uri: `${publicOrigin}/`,
    logo_uri: `${publicOrigin}/logo.svg`,
    tos_uri: 'https://terms.home.arpa/',
    policy_uri: 'https://privacy.home.arpa/',
    redirect_uris: [`${publicOrigin}/api/auth/callback`],
    jwks_uri: `${publicOrigin}/jwks.json`,
    scope: scopes.join(' '),
    application_type: 'web',
    subject_type: 'public',
    response_types: ['code'],
    grant_types: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_method: 'private_key_jwt',
    token_endpoint_auth_signing_alg: 'ES256',
    dpop_bound_access_tokens: true,
  })
  const logo = await world.names.fetch(new URL('/logo.svg', publicOrigin), {})
  expect(logo.headers.get('content-type')).toBe('image/svg+xml')
  const { keys } = await read('/jwks.json')
  expect(keys).toEqual([
    {
      ...{ kty: 'EC', crv: 'P-256', alg: 'ES256', use: 'sig' },
      ...{ kid: expect.any(String), x: expect.any(String), y: expect.any(String) },
    },
  ])
})

describe('signing in', () => {
  test('with a handle, a DID or the address of the server', async () => {
    for (const as of ['carol.test', world.didOf('carol.test'), world.network.pds]) {
      const client = world.client()
      expect(await client.signIn('carol.test', 'hunter2pass', { as })).toBe('/onboarding')
      expect(await statusOf(client)).toEqual({
        authenticated: true,
        did: world.didOf('carol.test'),
      })
      // The one before has ended.
      expect(tokensOf('carol.test')).toMatchObject([{ clientId, method: 'private_key_jwt' }])
    }
  })

  test('browsers get cookies for https', async () => {
    const answer = await world.client().fetch('/api/auth/login?handle=bob.test')
    expect(answer.headers.get('set-cookie')).toMatch(/^__Host-oauth=.*; Secure/)
  })

  test('without all permissions: signed out, and an earlier sign-in of the account stays', async () => {
    const first = await world.signedIn('bob.test')
    for (const refusal of [{ scope: 'atproto' }, { scope: scopes.slice(0, -1).join(' ') }]) {
      const second = world.client()
      expect(await second.signIn('bob.test', 'hunter2pass', refusal)).toBe('/?error=auth_failed')
      expect(await statusOf(second)).toEqual({ authenticated: false })
    }
    expect(tokensOf('bob.test')).toHaveLength(1)
    expect(await works(first)).toBe(true)
  })
})

describe('a session', () => {
  test('publishes, is renewed, outlives its key, and ends when its owner signs out', async () => {
    const alice = await world.signedIn('alice.test')
    expect(await alice.publish('blog', page)).toMatchObject({ success: true })
    const began = tokenOf('alice.test')
    if (began === undefined) throw new Error('alice has no session')
    expect(began.refreshes).toBe(0)
    const [old] = await keyIds()
    expect(began.kid).toBe(old)

    await expire('alice.test')
    expect(await alice.publish('blog', page)).toMatchObject({ success: true })
    expect(tokenOf('alice.test')).toEqual({ ...began, refreshes: 1 })

    const rotated = await runCommand(['keys', 'rotate'], world.environment)
    expect(rotated).toMatchObject({ code: 0, complaints: '' })
    expect(rotated.said.map((line) => line.split(/ {2,}/).slice(2).join(', '))).toEqual([
      'next, no sessions',
      'signs, has sessions',
    ])
    expect(await keyIds()).toHaveLength(2)
    // Servers may have read the keys just before: what begins now still begins with the old one.
    await world.signedIn('bob.test')
    expect(tokenOf('bob.test')?.kid).toBe(old)

    await letTwoHoursPass()
    await world.signedIn('bob.test')
    const [young] = await keyIds()
    expect(young).not.toBe(old)
    // The one before has ended, with the key that it began with.
    expect(tokensOf('bob.test').map(({ kid }) => kid)).toEqual([young])

    await expire('alice.test')
    expect(await alice.publish('blog', page)).toMatchObject({ success: true })
    expect(tokenOf('alice.test')).toEqual({ ...began, refreshes: 2 })

    const before = readPdsTokens(world.networkDir).length
    expect((await alice.fetch('/api/auth/logout', { method: 'POST' })).status).toBe(200)
    expect(readPdsTokens(world.networkDir)).toHaveLength(before - 1)
  }, 120_000)

  test('that was ended on the account’s server is noticed at the next call', async () => {
    const [alice, other] = [await world.signedIn('alice.test'), await world.signedIn('alice.test')]
    expect(await works(alice)).toBe(true)
    endSessionsOnServer(world.networkDir)
    const settings = await alice.fetch('/api/site/blog/settings', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    })
    expect([settings.status, await settings.json()]).toEqual([401, { error: 'Unauthorized' }])
    for (const browser of [alice, other]) {
      const status = await browser.fetch('/api/auth/status')
      expect(await status.json()).toEqual({ authenticated: false })
      const cookies = status.headers.getSetCookie()
      expect(cookies.map((line) => line.slice(0, line.indexOf('=')))).toEqual(['did', '__Host-sid'])
      for (const line of cookies) expect(line).toContain('Max-Age=0')
    }
  })

  test('that ended while a job ran: the job says so', async () => {
    const alice = await world.signedIn('alice.test')
    endSessionsOnServer(world.networkDir)
    const answer = await alice.upload('blog', page)
    const { jobId } = (await answer.json()) as { jobId: string }
    expect((await alice.watch(jobId)).error).toBe(
      'Your sign-in has ended. Sign in again, then upload once more; nothing was published.',
    )
    expect(await statusOf(alice)).toEqual({ authenticated: false })
  })
})

/** For the keys, which are as old as they say, and for what account servers remember. */
async function letTwoHoursPass(): Promise<void> {
  await using stored = await openStoredSessions(storedSessions())
  for await (const [kid, key] of stored.clientKeys.entries()) {
    await stored.clientKeys.set(kid, { ...key, createdAt: key.createdAt - 2 * 60 * 60 * 1000 })
  }
  await world.restartService()
  await world.restartNetwork()
}

describe('an account server at a name of its own', () => {
  let elsewhere: PublicWorld
  beforeAll(async () => {
    elsewhere = await startPublicWorld({ httpsPds: true })
  }, 300_000)
  afterAll(() => elsewhere?.[Symbol.asyncDispose]())

  test('is signed in at, written to and renewed by https', async () => {
    for (const as of ['bob.test', 'https://pds.home.arpa']) {
      const bob = elsewhere.client()
      expect(await bob.signIn('bob.test', 'hunter2pass', { as })).not.toContain('error')
      expect(await bob.publish('blog', page)).toMatchObject({ success: true })
      await expireTokens(elsewhere.didOf('bob.test'), {
        database: { file: join(elsewhere.environment['DATA_DIR'] ?? '', 'sitehost.db') },
        secret: elsewhere.secret,
      })
      expect(await bob.publish('blog', page)).toMatchObject({ success: true })
      expect(readPdsTokens(elsewhere.networkDir).at(-1)).toMatchObject({ clientId, refreshes: 1 })
    }
  }, 120_000)
})
