import { beforeEach, describe, expect, test } from 'bun:test'
import { generateDpopKey } from '@atcute/oauth-crypto'
import { MemoryStore, type StoredSession, type StoredState } from '@atcute/oauth-node-client'
import { AccountRepo } from '#atproto/repo/account-repo.ts'
import { Mutex } from '#concurrency/semaphore.ts'
import { createSafeFetch } from '#outbound/safe-fetch.ts'
import { UnusableAnswerError } from '#outbound/server-errors.ts'
import type { Did } from '#site/site-address.ts'
import { recordingLog } from '#tests/support/api.ts'
import { memoryRows } from '#tests/support/database/memory-rows.ts'
import { alice } from '#tests/support/database/sample-rows.ts'
import { AccountSessions } from './account-sessions.ts'
import type { WithLease } from './client-keys.ts'
import { ClientKeys } from './client-keys.ts'
import { createClients } from './oauth-client.ts'
import type { OAuthPool, OAuthPools } from './oauth-pools.ts'
import { type SealedStore, sealedStore } from './oauth-rows.ts'
import type { ReplacedLimits } from './replaced-session.ts'
import { createSeal } from './seal.ts'
import { SessionEndedError } from './session-ended.ts'

// What an account's server does that a real one cannot be made to do; the rest is tested against a real one.

const seal = await createSeal(['secret'], 'test')
const dpopKey = await generateDpopKey(['ES256'])
const server = 'https://pds.example'

/** Answers that a test wants otherwise, by path. */
let answers: Map<string, () => Response | Promise<Response>>
let asked: string[]
/** Tokens that were revoked at the server. */
let revoked: (string | null)[]
let logged: Parameters<typeof recordingLog>[0]
let accountServer: string
let sessions: SealedStore<Did, StoredSession>
let keys: ClientKeys
beforeEach(() => {
  const rows = memoryRows()
  sessions = sealedStore<Did, StoredSession>(rows, seal, 'oauth-session')
  keys = new ClientKeys({ rows, seal, withLease: (_, work) => work() })
  answers = new Map()
  asked = []
  revoked = []
  logged = []
  accountServer = server
})

function open({
  isPublic = true,
  withLease = atOnce,
  elapsed,
  onRenewed,
  pools = { signIns: pool, members: pool, jobs: pool },
  replacedLimits,
}: Opening = {}): AccountSessions {
  const clients = openClients({ isPublic })
  const states = new MemoryStore<string, StoredState>()
  return new AccountSessions({
    clients,
    sessions,
    states,
    pools,
    withLease,
    log: recordingLog(logged),
    keys: isPublic ? keys : null,
    ...(elapsed && { elapsed }),
    ...(onRenewed && { onRenewed }),
    ...(replacedLimits && { replacedLimits }),
  })
}

interface Opening {
  readonly isPublic?: boolean
  readonly withLease?: WithLease
  readonly elapsed?: () => number
  readonly onRenewed?: (did: Did) => Promise<void>
  readonly pools?: OAuthPools
  readonly replacedLimits?: ReplacedLimits
}

const atOnce: WithLease = (_, work) => work()

/** One after the other. */
function inTurns(): WithLease {
  const mutex = new Mutex()
  return (_, work) => mutex.use(work)
}

/** As the service opens it. */
const fetch = createSafeFetch({
  allowPrivate: true,
  async connect(request) {
    const url = new URL(request.url)
    asked.push(url.pathname)
    if (url.pathname === '/revoke') {
      revoked.push(new URLSearchParams(await request.text()).get('token'))
    }
    return await (answers.get(url.pathname)?.() ?? usualAnswer(url))
  },
})

const pool: OAuthPool = {
  actorResolver: {
    resolve: async () => ({ did: alice, handle: 'alice.test', pds: accountServer }),
  },
  fetch,
}

function openClients({ isPublic = true } = {}) {
  return createClients({
    origin: isPublic ? 'https://sitehost.example.com' : 'http://127.0.0.1:3000',
    keys: isPublic ? keys : null,
  })
}

function usualAnswer({ origin, pathname }: URL): Response {
  switch (pathname) {
    case '/.well-known/oauth-protected-resource':
      return Response.json({ resource: origin, authorization_servers: [origin] })
    case '/.well-known/oauth-authorization-server':
      return Response.json({
        issuer: origin,
        authorization_endpoint: `${origin}/authorize`,
        token_endpoint: `${origin}/token`,
        revocation_endpoint: `${origin}/revoke`,
        pushed_authorization_request_endpoint: `${origin}/par`,
        require_pushed_authorization_requests: true,
        client_id_metadata_document_supported: true,
        response_types_supported: ['code'],
        dpop_signing_alg_values_supported: ['ES256'],
        token_endpoint_auth_methods_supported: ['none', 'private_key_jwt'],
        token_endpoint_auth_signing_alg_values_supported: ['ES256'],
        protected_resources: [origin],
      })
    case '/token':
      return Response.json({
        access_token: 'second',
        refresh_token: 'refresh-2',
        token_type: 'DPoP',
        expires_in: 3600,
        scope: 'atproto',
        sub: alice,
      })
    default:
      return Response.json({})
  }
}

const invalidToken = () =>
  new Response(null, {
    status: 401,
    headers: { 'www-authenticate': 'DPoP error="invalid_token", error_description="no"' },
  })

/** A session that began with a key of ours, its access token good for so long. */
async function begun({ goodForMs = 3_600_000, kid = '' } = {}): Promise<void> {
  const [key] = await keys.inUse()
  await sessions.set(alice, {
    dpopKey,
    authMethod: { method: 'private_key_jwt', kid: kid || key.jwk.kid },
    tokenSet: {
      iss: server,
      sub: alice,
      aud: server,
      scope: 'atproto',
      token_type: 'DPoP',
      access_token: 'first',
      refresh_token: 'refresh-1',
      expires_at: Date.now() + goodForMs,
    },
  })
}

const storedToken = async () => (await sessions.get(alice))?.tokenSet.access_token
const call = async (accounts: AccountSessions) =>
  (await (await accounts.open(alice)).handle('/xrpc/method')).status

describe('tokens', () => {
  test('that are good for more than a minute are not renewed', async () => {
    await begun({ goodForMs: 61_000 })
    expect(await call(open())).toBe(200)
    expect(asked).toEqual(['/xrpc/method'])
  })

  test('that are good for less are, before they are used', async () => {
    await begun({ goodForMs: 59_000 })
    expect(await call(open())).toBe(200)
    expect(await storedToken()).toBe('second')
    expect(asked.filter((path) => path === '/token')).toHaveLength(1)
  })

  test('that the server does not take are renewed, and the call is repeated', async () => {
    await begun()
    let calls = 0
    answers.set('/xrpc/method', () => (calls++ === 0 ? invalidToken() : Response.json({})))
    expect(await call(open())).toBe(200)
    expect(await storedToken()).toBe('second')
  })

  test('are kept when the server is away, and its failure is thrown', async () => {
    await begun({ goodForMs: 0 })
    answers.set('/token', () => {
      throw Object.assign(new Error('reset'), { code: 'ECONNRESET' })
    })
    await expect(open().open(alice)).rejects.toThrow('reset')
    expect(await storedToken()).toBe('first')
  })

  test('that have come are used, whatever fails after that', async () => {
    await begun({ goodForMs: 0 })
    // What the library reads once more when the tokens are there.
    answers.set('/.well-known/oauth-authorization-server', () =>
      asked.includes('/token')
        ? new Response(null, { status: 500 })
        : usualAnswer(new URL(`${server}/.well-known/oauth-authorization-server`)),
    )
    expect(await call(open())).toBe(200)
    expect(await storedToken()).toBe('second')
  })
})

test('requests and renewals of a job go out with those of jobs, all others with those of members', async () => {
  const noted: string[] = []
  const notedAs = (name: string): OAuthPool => ({
    ...pool,
    fetch: (input, init) => {
      noted.push(name)
      return fetch(input, init)
    },
  })
  const pools = { signIns: pool, members: notedAs('member'), jobs: notedAs('job') }
  for (const [name, expected] of [
    ['jobs', 'job'],
    [undefined, 'member'],
  ] as const) {
    await begun({ goodForMs: 0 })
    noted.length = 0
    await (await open({ pools }).open(alice, name)).handle('/xrpc/any')
    expect(noted.length).toBeGreaterThan(1)
    expect(new Set(noted)).toEqual(new Set([expected]))
  }
})

describe('a grant is confirmed', () => {
  const renewals = () => asked.filter((path) => path === '/token').length
  const numbered = () => {
    let n = 1
    answers.set('/token', async () => {
      const tokens = (await usualAnswer(new URL(`${server}/token`)).json()) as object
      return Response.json({ ...tokens, access_token: `token ${++n}` })
    })
  }

  test('by new tokens, once for all callers within a minute', async () => {
    await begun()
    numbered()
    let elapsed = 0
    const renewed: Did[] = []
    const accounts = open({
      elapsed: () => elapsed,
      withLease: inTurns(),
      onRenewed: async (did) => void renewed.push(did),
    })
    await Promise.all([accounts.confirm(alice), accounts.confirm(alice)])
    expect([renewals(), await storedToken()]).toEqual([1, 'token 2'])
    elapsed = 59_999
    await accounts.confirm(alice)
    expect(renewals()).toBe(1)
    elapsed = 60_000
    await accounts.confirm(alice)
    expect(renewals()).toBe(2)
    expect(renewed).toEqual([alice, alice])
  })

  test('by a sign-in', async () => {
    await begun()
    const accounts = open()
    const session = await sessions.get(alice)
    if (session === undefined) throw new TypeError('begun')
    await accounts.keep(alice, session, async () => undefined)
    const renewed = renewals()
    await accounts.confirm(alice)
    expect(renewals()).toBe(renewed)
  })

  test('not when the server has ended it', async () => {
    await begun()
    answers.set('/token', () => Response.json({ error: 'invalid_grant' }, { status: 400 }))
    await expect(open().confirm(alice)).rejects.toBeInstanceOf(SessionEndedError)
    await expect(open().confirm(alice)).rejects.toBeInstanceOf(SessionEndedError)
    expect(await storedToken()).toBeUndefined()
  })

  for (const status of [429, 500, 503]) {
    test(`nor by a ${status}, which does not end the session either`, async () => {
      await begun()
      answers.set('/token', () => new Response(null, { status }))
      const failure = await open()
        .confirm(alice)
        .catch((error: unknown) => error)
      expect(failure).toBeInstanceOf(Error)
      expect(failure).not.toBeInstanceOf(SessionEndedError)
      expect(await storedToken()).toBe('first')
    })
  }
})

describe('a session has ended', () => {
  test('when new tokens are refused as well', async () => {
    await begun()
    answers.set('/xrpc/method', invalidToken)
    await expect(call(open())).rejects.toBeInstanceOf(SessionEndedError)
    expect(await storedToken()).toBeUndefined()
  })

  test('when the server gives no new tokens', async () => {
    await begun({ goodForMs: 0 })
    answers.set('/token', () => Response.json({ error: 'invalid_grant' }, { status: 400 }))
    await expect(open().open(alice)).rejects.toBeInstanceOf(SessionEndedError)
    expect(await storedToken()).toBeUndefined()
  })

  test('when the account has moved to another server', async () => {
    await begun({ goodForMs: 0 })
    accountServer = 'https://new.example'
    await expect(open().open(alice)).rejects.toBeInstanceOf(SessionEndedError)
    expect(await storedToken()).toBeUndefined()
  })

  test('when its key is gone', async () => {
    await begun({ kid: 'a key that was lost' })
    expect(await open().find(alice)).toBeUndefined()
    await expect(open().open(alice)).rejects.toBeInstanceOf(SessionEndedError)
  })

  test('when the service has left its public address, or come to one', async () => {
    await begun()
    expect(await open({ isPublic: true }).find(alice)).toBeDefined()
    expect(await open({ isPublic: false }).find(alice)).toBeUndefined()
    const session = (await sessions.get(alice)) as StoredSession
    await sessions.set(alice, { ...session, authMethod: { method: 'none' } })
    expect(await open({ isPublic: true }).find(alice)).toBeUndefined()
    expect(await open({ isPublic: false }).find(alice)).toBeDefined()
  })
})

describe('revoking', () => {
  test('ends it on the server too', async () => {
    await begun()
    await open().revoke(alice)
    expect(asked).toContain('/revoke')
    expect(await storedToken()).toBeUndefined()
  })

  test('ends it here when the server is away, and when it was no session of ours', async () => {
    await begun()
    answers.set(
      '/.well-known/oauth-authorization-server',
      () => new Response(null, { status: 500 }),
    )
    await expect(open().revoke(alice)).rejects.toThrow()
    expect(await storedToken()).toBeUndefined()
    await begun({ kid: 'a key that was lost' })
    await open().revoke(alice)
    expect(await storedToken()).toBeUndefined()
    await open().revoke(alice)
  })
})

describe('a sign-in', () => {
  const brought = async (facts: Partial<StoredSession> = {}): Promise<StoredSession> => {
    const session = (await sessions.get(alice)) as StoredSession
    const tokens = { access_token: 'brought', refresh_token: 'refresh-b' }
    return { ...session, ...facts, tokenSet: { ...session.tokenSet, ...tokens } }
  }
  const enter = async () => 'entered'

  test('ends on the server what it replaces, and not what it brought', async () => {
    await begun()
    expect(await open().keep(alice, await brought(), enter)).toBe('entered')
    expect(revoked).toEqual(['second'])
    expect(await storedToken()).toBe('brought')
  })

  const endedThere = () => Response.json({ error: 'invalid_grant' }, { status: 400 })
  const befores: [string, string, () => void][] = [
    ['alive', 'its server gives new tokens for it', () => {}],
    ['ended', 'its server has ended it', () => answers.set('/token', endedThere)],
    [
      'ended',
      'its server does not say',
      () => answers.set('/token', () => new Response(null, { status: 500 })),
    ],
    ['ended', 'it began with keys that are gone', () => begun({ kid: 'a key that was lost' })],
    ['ended', 'there is none', () => sessions.delete(alice)],
  ]
  test.each(befores)('finds what it replaces %s: %s', async (expected, _, given) => {
    await begun()
    const session = await brought()
    await given()
    expect(await open().keep(alice, session, async (before) => before)).toBe(expected as 'alive')
    expect(await storedToken()).toBe('brought')
  })

  test('that fails leaves what was there, with the tokens by which it was found alive', async () => {
    await begun()
    const failing = open().keep(alice, await brought(), () => Promise.reject(new Error('away')))
    await expect(failing).rejects.toThrow('away')
    expect(await storedToken()).toBe('second')
  })

  test('revokes the tokens that a renewal before it has issued', async () => {
    await begun({ goodForMs: 0 })
    const accounts = open({ withLease: inTurns() })
    const session = await brought()
    let keeping: Promise<string> | undefined
    answers.set('/token', () => {
      keeping ??= accounts.keep(alice, session, enter)
      return usualAnswer(new URL('/token', server))
    })
    await accounts.open(alice)
    await keeping
    expect(revoked).toEqual(['second'])
    expect(await storedToken()).toBe('brought')
  })

  test('asks no server about what began with keys that are gone', async () => {
    await begun({ kid: 'a key that was lost' })
    const [key] = await keys.inUse()
    const authMethod = { method: 'private_key_jwt', kid: key.jwk.kid } as const
    await open().keep(alice, await brought({ authMethod }), enter)
    expect(asked).toEqual([])
    expect(await storedToken()).toBe('brought')
  })

  test.each([
    ['is away', () => new Response(null, { status: 500 })],
    ['says nothing', () => new Promise<Response>(() => {})],
  ])('is complete although the server of what it replaces %s', async (_, answer) => {
    await begun()
    answers.set('/.well-known/oauth-authorization-server', answer)
    const accounts = open({ replacedLimits: { confirmMsMax: 2, revokeMsMax: 1 } })
    expect(await accounts.keep(alice, await brought(), enter)).toBe('entered')
    expect(await storedToken()).toBe('brought')
    expect(logged?.map(({ message }) => message)).toEqual([
      'replaced session not confirmed',
      'replaced session not revoked',
    ])
  })

  test('survives a sign-out of the replaced session', async () => {
    await begun()
    const accounts = open({ withLease: inTurns() })
    let isUsed = false
    const entering = accounts.keep(alice, await brought(), async () => {
      isUsed = true
    })
    await Promise.all([entering, accounts.revoke(alice, async () => !isUsed)])
    expect(revoked).toEqual(['second'])
    expect(await storedToken()).toBe('brought')
  })

  test('does not keep a call that was begun with older tokens from going on', async () => {
    await begun()
    const accounts = open()
    const session = await accounts.open(alice)
    const newer = await brought()
    let calls = 0
    answers.set('/xrpc/method', async () => {
      if (++calls > 2) return Response.json({})
      // Before the first is refused somebody signs in, and once more before the second is.
      const tokenSet = { ...newer.tokenSet, access_token: `brought-${calls}` }
      await accounts.keep(alice, { ...newer, tokenSet }, enter)
      return invalidToken()
    })
    expect((await session.handle('/xrpc/method')).status).toBe(200)
    expect(await storedToken()).toBe('brought-2')
    // Each sign-in asks about the one that it replaces; the call asks for nothing.
    expect(asked.filter((path) => path === '/token')).toHaveLength(2)
  })

  test('and another one at each call: a server that refuses all tokens is not asked without end', async () => {
    await begun()
    const accounts = open()
    const session = await accounts.open(alice)
    const newer = await brought()
    answers.set('/xrpc/method', async () => {
      const tokenSet = { ...newer.tokenSet, access_token: crypto.randomUUID() }
      await accounts.keep(alice, { ...newer, tokenSet }, enter)
      return invalidToken()
    })
    await expect(session.handle('/xrpc/method')).rejects.toBeInstanceOf(SessionEndedError)
    expect(asked.filter((path) => path === '/xrpc/method')).toHaveLength(3)
  })
})

describe('a holder of the lease that was suspended until another one had it', () => {
  const newer = async (): Promise<StoredSession> => {
    const session = (await sessions.get(alice)) as StoredSession
    return { ...session, tokenSet: { ...session.tokenSet, access_token: 'newer' } }
  }

  test.each([
    ['new tokens', () => usualAnswer(new URL('/token', server))],
    ['no tokens', () => Response.json({ error: 'invalid_grant' }, { status: 400 })],
  ])('and gets %s after a sign-in, leaves what that has brought', async (_, answer) => {
    await begun()
    answers.set('/token', async () => {
      await sessions.set(alice, await newer())
      return answer()
    })
    await open().confirm(alice)
    expect(await storedToken()).toBe('newer')
  })

  test('and gets new tokens after a sign-out, does not bring the session back', async () => {
    await begun()
    answers.set('/token', async () => {
      await sessions.delete(alice)
      return usualAnswer(new URL('/token', server))
    })
    await expect(open().confirm(alice)).rejects.toBeInstanceOf(SessionEndedError)
    expect(await storedToken()).toBeUndefined()
  })

  test('and signs out after a sign-in, leaves what that has brought', async () => {
    await begun()
    answers.set('/revoke', async () => {
      await sessions.set(alice, await newer())
      return Response.json({})
    })
    await open().revoke(alice)
    expect(await storedToken()).toBe('newer')
  })
})

describe('endless answers of a server', () => {
  let sent: number
  const brackets = (init: ResponseInit): Response => {
    const piece = Buffer.from('['.repeat(16_384))
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        sent += piece.length
        controller.enqueue(piece)
      },
    })
    return new Response(endless, {
      ...init,
      headers: { 'content-type': 'application/json', ...init.headers },
    })
  }
  beforeEach(() => {
    sent = 0
  })

  for (const path of ['/par', '/.well-known/oauth-protected-resource']) {
    test(`when somebody begins to sign in, at ${path}`, async () => {
      const states = new MemoryStore<string, StoredState>()
      const client = await openClients().open(sessions, states, pool)
      answers.set(path, () => brackets({ status: path === '/par' ? 400 : 200 }))
      const target = { type: 'pds', serviceUrl: server } as const
      await expect(client.authorize({ target })).rejects.toThrow()
      expect(asked).toContain(path)
      expect(sent).toBeLessThan(1024 * 1024)
    })
  }

  test('of a repository', async () => {
    await begun()
    answers.set('/xrpc/method', () => brackets({ status: 200 }))
    const answer = await (await open().open(alice)).handle('/xrpc/method')
    await expect(answer.json()).rejects.toThrow()
    expect(sent).toBeLessThan(2 * 1024 * 1024)
  })

  test('of a blob: a few words were expected', async () => {
    await begun()
    answers.set('/xrpc/com.atproto.repo.uploadBlob', () => brackets({ status: 200 }))
    const repo = new AccountRepo(alice, (did) => open().open(did))
    await expect(repo.uploadBlob(new Blob(['x']))).rejects.toBeInstanceOf(UnusableAnswerError)
    expect(sent).toBeLessThan(512 * 1024)
  })
})
