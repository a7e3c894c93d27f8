import { createHash } from 'node:crypto'
import { type Did, isActorIdentifier } from '@atcute/lexicons/syntax'
import {
  MemoryStore,
  type OAuthClient,
  type StoredSession,
  type StoredState,
} from '@atcute/oauth-node-client'
import type { Identities } from '#atproto/identity/identity.ts'
import type { SafeFetch } from '#outbound/safe-fetch.ts'
import { parseDid } from '#site/site-address.ts'
import {
  AccountSessions,
  type AccountSessionsOptions,
  type GrantBefore,
} from './account-sessions.ts'
import type { PublicKey } from './client-keys.ts'
import {
  type ClientDocument,
  type ClientOptions,
  createClients,
  optionalScopes,
  scopes,
} from './oauth-client.ts'
import { endingWith, type OAuthPools } from './oauth-pools.ts'
import { type SealedRows, sealedStore } from './oauth-rows.ts'
import type { Seal } from './seal.ts'
import { SignInError, type SignInFailure, signInErrorOf } from './sign-in-error.ts'

export type { AccountSession, GrantBefore } from './account-sessions.ts'
export { SessionEndedError } from './session-ended.ts'

/** The kind of sealed rows that are accounts' sessions, by DID. */
export const sessionKind = 'oauth-session'

export interface OAuth {
  /**
   * `input`: a handle, DID or server's address. `returnTo`: what `enter` receives, the page to come back to. `nonce`: for a
   * cookie of the browser that completes. Ends within `beginMsMax`. Throws SignInError.
   */
  begin(input: string, returnTo?: string | null): Promise<{ url: URL; nonce: string }>
  /**
   * Stores the new session after `enter`, which marks it as used and receives the state of the replaced grant; a
   * `revoke` runs before or after both, never between. Returns the result of `enter`; what was granted is revoked when
   * that throws SignInError. Throws SignInError: then the
   * previous session stays, and a state that came back to its own browser cannot be used again.
   */
  complete<T>(
    query: URLSearchParams,
    nonce: string | null,
    enter: (did: Did, before: GrantBefore, returnTo: string | null) => Promise<T>,
  ): Promise<T>
  session: AccountSessions['open']
  has(did: Did): Promise<boolean>
  /** What the account's server granted; empty without a session. */
  scopeOf(did: Did): Promise<ReadonlySet<string>>
  confirm: AccountSessions['confirm']
  revoke: AccountSessions['revoke']
  /** Seals sessions and keys with the newest secret, so that older ones can be removed. */
  sealAnew(): Promise<void>
  clientMetadata(): Promise<ClientDocument>
  /** Our public keys, including older ones; empty for a loopback address (RFC 7517 §5). */
  publicKeys(): Promise<{ keys: PublicKey[] }>
}

/** A handle, a directory and a server are asked one after the other; strangers name all three. */
const beginMsMaxDefault = 8_000

interface OAuthOptions
  extends ClientOptions,
    Pick<AccountSessionsOptions, 'withLease' | 'log' | 'onRenewed'> {
  readonly fetch: SafeFetch
  readonly identities: Pick<Identities, 'actorResolver'>
  /** Those with semaphores of their own; the others go out by `fetch` and `identities`. */
  readonly pools?: Partial<OAuthPools>
  readonly beginMsMax?: number
  readonly rows: SealedRows
  readonly seal: Seal
}

export function createOAuth(options: OAuthOptions): OAuth {
  const { beginMsMax = beginMsMaxDefault, keys, rows, seal } = options
  const usual = { actorResolver: options.identities.actorResolver, fetch: options.fetch }
  const pools = { signIns: usual, members: usual, jobs: usual, ...options.pools }
  const states = sealedStore<string, StoredState>(rows, seal, 'oauth-state', (s) => s.expiresAt)
  const sessions = sealedStore<Did, StoredSession>(rows, seal, sessionKind)
  const clients = createClients(options)
  const accounts = new AccountSessions({ ...options, clients, pools, sessions, states })

  return {
    async begin(input, returnTo = null) {
      const nonce = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64url')
      const state = { nonceHash: hashOf(nonce), returnTo }
      const timeIsUp = AbortSignal.timeout(beginMsMax)
      const pool = endingWith(timeIsUp, pools.signIns)
      const client = await clients.open(sessions, states, pool)
      const authorize = async (target: Target) => {
        try {
          return { url: (await client.authorize({ target, state })).url, nonce }
        } catch (error) {
          if (timeIsUp.aborted) throw new SignInError('server-unreachable', { cause: error })
          throw signInErrorOf(error)
        }
      }
      const { first, otherwise } = targetsOf(input, options.allowHttp ?? false)
      try {
        return await authorize(first)
      } catch (error) {
        if (otherwise === null || !isFailure(error, 'unknown-handle')) throw error
        return await authorize(otherwise).catch((failed) => {
          // Most of what is no handle is no server either.
          throw isFailure(failed, 'server-refused') ? failed : error
        })
      }
    },

    async complete(query, nonce, enter) {
      const state = query.get('state')
      // Checked before it reaches the database: PostgreSQL throws on strings with NUL.
      const isState = state !== null && /^[\w-]{1,100}$/.test(state)
      const stored = isState ? await states.get(state) : undefined
      if (!stored || stored.expiresAt < Date.now()) throw new SignInError('expired')
      // The library does not bind the state to a browser: without this, a link with an attacker's
      // code and state would sign the visitor in as the attacker (RFC 6749 §10.12).
      if (!nonce || userStateOf(stored).nonceHash !== hashOf(nonce)) {
        throw new SignInError('other-browser')
      }
      try {
        // A separate store: a failed sign-in must not replace the account's session.
        const arrived = new MemoryStore<Did, StoredSession>()
        const client = await clients.open(arrived, states, pools.signIns)
        const { session } = await client.callback(query)
        const found = await arrived.get(session.did)
        const failure = found === undefined ? 'expired' : failureOf(found)
        if (found === undefined || failure !== null) {
          await session.signOut()
          throw new SignInError(failure ?? 'expired')
        }
        return await accounts.keep(session.did, found, async (before) => {
          try {
            return await enter(session.did, before, userStateOf(stored).returnTo)
          } catch (error) {
            if (error instanceof SignInError) await session.signOut()
            throw error
          }
        })
      } catch (error) {
        throw signInErrorOf(error)
      }
    },

    session: (did, pool) => accounts.open(did, pool),
    has: async (did) => (await accounts.find(did)) !== undefined,
    async scopeOf(did) {
      const session = await accounts.find(did)
      return session === undefined ? new Set() : scopesOf(session.tokenSet)
    },
    confirm: (did) => accounts.confirm(did),
    revoke: (did, isUnused) => accounts.revoke(did, isUnused),
    async sealAnew() {
      await keys?.sealAnew()
      await accounts.sealAnew()
    },
    // The library's type names each field; we only send it as JSON.
    clientMetadata: async () =>
      (await clients.open(sessions, states, pools.members)).metadata as unknown as ClientDocument,
    publicKeys: async () => ({ keys: (await keys?.publicKeys()) ?? [] }),
  }
}

type Target = Parameters<OAuthClient['authorize']>[0]['target']

/** What the input names; `otherwise`: if there is no such handle. Throws SignInError. */
function targetsOf(input: string, allowHttp: boolean): { first: Target; otherwise: Target | null } {
  const identifier = accountIn(input.trim()).replace(/^@/, '')
  const server = serverAt(identifier, allowHttp)
  if (isActorIdentifier(identifier)) {
    return { first: { type: 'account', identifier }, otherwise: server }
  }
  if (server === null) throw new SignInError('not-an-account-name')
  return { first: server, otherwise: null }
}

/** People copy the address of their profile: `https://bsky.app/profile/alice.example`. */
const accountIn = (input: string): string =>
  /^(?:https?:\/\/)?[^\s/]+\/profile\/([^\s/?#]+)/i.exec(input)?.[1] ?? input

/** `https://pds.example/x`, `pds.example` and `pds.example:8443`; `localhost:3000` where http is allowed. */
function serverAt(identifier: string, allowHttp: boolean): Target | null {
  const isUrl = /^https?:\/\//.test(identifier)
  const isHost = /^(?:localhost|[a-z0-9-]+(?:\.[a-z0-9-]+)+)(?::\d{1,5})?$/i.test(identifier)
  if (!isUrl && !isHost) return null
  const isHere = /^(?:localhost|127\.0\.0\.1)(?::|$)/i.test(identifier)
  const url = isUrl ? identifier : `${allowHttp && isHere ? 'http' : 'https'}://${identifier}`
  return URL.canParse(url) ? { type: 'pds', serviceUrl: new URL(url).origin } : null
}

const isFailure = (error: unknown, failure: SignInFailure): boolean =>
  error instanceof SignInError && error.failure === failure

/** Why we reject a session the server granted. */
function failureOf({ tokenSet }: StoredSession): 'scopes-missing' | 'unknown-account' | null {
  if (parseDid(tokenSet.sub) === null) return 'unknown-account'
  // Servers silently drop unknown scopes (atproto.md, "OAuth").
  const granted = scopesOf(tokenSet)
  const isMissing = (scope: string) => !(granted.has(scope) || optionalScopes.includes(scope))
  return scopes.some(isMissing) ? 'scopes-missing' : null
}

const scopesOf = ({ scope }: StoredSession['tokenSet']): ReadonlySet<string> =>
  new Set<string>(scope.split(' '))

const hashOf = (nonce: string): string => createHash('sha256').update(nonce).digest('base64url')

interface UserState {
  readonly nonceHash: string | null
  readonly returnTo: string | null
}

/** What `begin` stored with the state; sealed, so that only we can have written it. */
const userStateOf = ({ userState }: StoredState): UserState => ({
  ...{ nonceHash: null, returnTo: null },
  ...(userState as Partial<UserState> | null),
})
