import { beforeEach, describe, expect, test } from 'bun:test'
import type { StoredSession, StoredState } from '@atcute/oauth-node-client'
import { Identities } from '#atproto/identity/identity.ts'
import { onAbort } from '#concurrency/or-aborted.ts'
import type { SafeFetch } from '#outbound/safe-fetch.ts'
import { recordingLog } from '#tests/support/api.ts'
import { type MemoryRows, memoryRows } from '#tests/support/database/memory-rows.ts'
import { alice } from '#tests/support/database/sample-rows.ts'
import { ClientKeys } from './client-keys.ts'
import { createOAuth, type OAuth, SessionEndedError } from './oauth.ts'
import { sealedStore } from './oauth-rows.ts'
import { createSeal } from './seal.ts'
import { SignInError, type SignInFailure } from './sign-in-error.ts'

// What ends before a server is asked; the rest is tested against a real one.

const seal = await createSeal(['secret'], 'test')
const nonce = 'the nonce in the cookie'
const nonceHash = new Bun.CryptoHasher('sha256').update(nonce).digest('base64url')

const away: SafeFetch = () => Promise.reject(Object.assign(new Error('away'), { code: 'ENET' }))

let rows: MemoryRows
let oauth: OAuth
beforeEach(() => {
  rows = memoryRows()
  oauth = oauthBy(away)
})

function oauthBy(fetch: SafeFetch, allowHttp = false, times: { beginMsMax?: number } = {}): OAuth {
  const origin = 'http://127.0.0.1:3000'
  const identities = new Identities({
    fetch,
    plcUrl: 'https://plc.example',
    handleResolverUrl: 'https://resolver.example',
  })
  return createOAuth({
    ...times,
    origin,
    identities,
    fetch,
    allowHttp,
    rows,
    seal,
    keys: null,
    withLease: (_, work) => work(),
    log: recordingLog(),
  })
}

/** A sign-in under way, as the library remembers it. */
async function begun(facts: Partial<StoredState> = {}): Promise<void> {
  const states = sealedStore<string, StoredState>(rows, seal, 'oauth-state')
  const state = { expiresAt: Date.now() + 60_000, userState: { nonceHash }, ...facts }
  await states.set('state-1', state as StoredState)
}

async function fails(
  query: Record<string, string>,
  failure: SignInFailure,
  cookie: string | null = nonce,
): Promise<void> {
  const completing = oauth.complete(new URLSearchParams(query), cookie, async () => {})
  await expect(completing).rejects.toBeInstanceOf(SignInError)
  await expect(completing).rejects.toMatchObject({ failure })
}

describe('a callback starts no session', () => {
  test('without a state, or with an unknown one', async () => {
    await fails({}, 'expired')
    await fails({ state: 'state-1', code: 'c' }, 'expired')
  })
  test('with an invalid state, without a query of the database', async () => {
    const asked: string[] = []
    const get = rows.get.bind(rows)
    rows.get = (kind, key) => {
      asked.push(key)
      return get(kind, key)
    }
    for (const state of ['', 'a\0b', 'é', ' state-1', 'x'.repeat(101)]) {
      await fails({ state, code: 'c' }, 'expired')
    }
    expect(asked).toEqual([])
  })
  test('when its time is over', async () => {
    await begun({ expiresAt: Date.now() - 1 })
    await fails({ state: 'state-1', code: 'c' }, 'expired')
  })
  test('in another browser, which does not use up the state of the first', async () => {
    await begun()
    for (const cookie of [null, '', 'another nonce', nonceHash]) {
      await fails({ state: 'state-1', code: 'c' }, 'other-browser', cookie)
    }
    expect(rows.kept.size).toBe(1)
  })
  test('when the state has no browser', async () => {
    await begun({ userState: null })
    await fails({ state: 'state-1', code: 'c' }, 'other-browser')
  })
  test('after "deny", and the state is used up', async () => {
    await begun()
    await fails({ state: 'state-1', error: 'access_denied' }, 'denied')
    await fails({ state: 'state-1', error: 'access_denied' }, 'expired')
  })
  test('without a code, and the state is used up', async () => {
    await begun()
    await fails({ state: 'state-1' }, 'expired')
    expect(rows.kept.size).toBe(0)
  })
})

describe('a sign-in does not begin', () => {
  for (const [input, failure] of [
    ['', 'not-an-account-name'],
    ['not a name', 'not-an-account-name'],
    ['javascript:alert(1)', 'not-an-account-name'],
    ['alice.example', 'server-unreachable'],
    ['@alice.example', 'server-unreachable'],
    ['https://pds.example/x?y', 'server-unreachable'],
  ] as const) {
    test(`with ${JSON.stringify(input)}: ${failure}`, async () => {
      await expect(oauth.begin(input)).rejects.toMatchObject({ failure })
      expect(rows.kept.size).toBe(0)
    })
  }
})

test('a sign-in at a server that never answers ends in time, and gives back what it holds', async () => {
  const held: AbortSignal[] = []
  const silent: SafeFetch = (_, init) => {
    held.push(init?.signal as AbortSignal)
    return new Promise((_, reject) => onAbort(init?.signal ?? undefined, reject))
  }
  for (const input of ['alice.example', 'https://pds.example', alice]) {
    const beginning = oauthBy(silent, false, { beginMsMax: 10 }).begin(input)
    await expect(beginning).rejects.toMatchObject({ failure: 'server-unreachable' })
  }
  expect(held.length).toBeGreaterThan(0)
  expect(held.every(({ aborted }) => aborted)).toBe(true)
})

describe('what is no handle is tried as a server', () => {
  test.each([
    ['pds.example', false, 'unknown-handle', ['https://resolver.example', 'https://pds.example']],
    ['pds.example:8443', false, 'server-unreachable', ['https://pds.example:8443']],
    ['localhost:2583', false, 'server-unreachable', ['https://localhost:2583']],
    ['localhost:2583', true, 'server-unreachable', ['http://localhost:2583']],
    ['127.0.0.1:2583', true, 'server-unreachable', ['http://127.0.0.1:2583']],
    ['pds.example:8443', true, 'server-unreachable', ['https://pds.example:8443']],
    ['alice:2583', true, 'not-an-account-name', []],
    ['did:plc:aaaaaaaaaaaaaaaaaaaaaaaa', false, 'unknown-account', ['https://plc.example']],
    [
      'https://bsky.app/profile/did:plc:aaaaaaaaaaaaaaaaaaaaaaaa/post/1',
      false,
      'unknown-account',
      ['https://plc.example'],
    ],
    [
      'bsky.app/profile/pds.example',
      false,
      'unknown-handle',
      ['https://resolver.example', 'https://pds.example'],
    ],
  ] as const)('%p, http allowed: %p', async (input, allowHttp, failure, origins) => {
    const asked = new Set<string>()
    const fetch: SafeFetch = async (url, init) => {
      const { origin } = new URL(url instanceof Request ? url.url : url)
      asked.add(origin)
      const isNone = ['https://resolver.example', 'https://plc.example'].includes(origin)
      const error = { error: 'InvalidRequest', message: 'Unable to resolve handle' }
      return isNone ? Response.json(error, { status: 400 }) : await away(url, init)
    }
    await expect(oauthBy(fetch, allowHttp).begin(input)).rejects.toMatchObject({ failure })
    expect<string[]>([...asked]).toEqual([...origins])
  })
})

test('an account without a session has none, and revoking it is no error', async () => {
  expect(await oauth.has(alice)).toBe(false)
  await expect(oauth.session(alice)).rejects.toBeInstanceOf(SessionEndedError)
  await oauth.revoke(alice)
})

test('what was sealed with an older secret opens with the newest alone, once it is sealed anew', async () => {
  const [older, both, newest] = await Promise.all([
    createSeal(['old secret'], 'test'),
    createSeal(['new secret', 'old secret'], 'test'),
    createSeal(['new secret'], 'test'),
  ])
  const withLease = <T>(_: string, work: () => Promise<T>) => work()
  const keysBy = (by: typeof seal) => new ClientKeys({ rows, seal: by, withLease })
  const [{ jwk }] = await keysBy(older).inUse()
  const sessionsBy = (by: typeof seal) =>
    sealedStore<string, StoredSession>(rows, by, 'oauth-session')
  const session = { authMethod: { method: 'private_key_jwt', kid: jwk.kid } } as StoredSession
  await sessionsBy(older).set(alice, session)
  const service = createOAuth({
    origin: 'https://sitehost.example.com',
    identities: {} as Identities,
    fetch: () => Promise.reject(new Error('no network')),
    rows,
    seal: both,
    withLease,
    keys: keysBy(both),
    log: recordingLog(),
  })
  expect(await sessionsBy(newest).get(alice)).toBeUndefined()
  await service.sealAnew()
  expect(await sessionsBy(newest).get(alice)).toEqual(session)
  expect((await keysBy(newest).all()).map((key) => key.jwk.kid)).toEqual([jwk.kid])
})
