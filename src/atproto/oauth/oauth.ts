import { type Did, isActorIdentifier } from '@atcute/lexicons/syntax'
import {
  MemoryStore,
  type OAuthClient,
  type StoredSession,
  type StoredState,
} from '@atcute/oauth-node-client'
import type { Identities } from '#atproto/identity/identity.ts'
import type { WithLease } from '#concurrency/with-lease.ts'
import type { Log } from '#observe/log.ts'
import type { SafeFetch } from '#outbound/safe-fetch.ts'
import { parseDid } from '#site/site-address.ts'
import { type AccountSession, AccountSessions, type GrantBefore } from './account-sessions.ts'
import type { ClientKeys } from './client-keys.ts'
import { type ClientDocument, createClients, type PublicKey, scopes } from './oauth-client.ts'
import { type SealedRows, sealedStore } from './oauth-rows.ts'
import type { Seal } from './seal.ts'
import { SignInError, signInErrorOf } from './sign-in-error.ts'

export type { AccountSession, GrantBefore } from './account-sessions.ts'
export { SessionEndedError } from './session-ended.ts'

/** Sealed rows of this kind are accounts' sessions, by their DIDs. */
export const sessionKind = 'oauth-session'

export interface OAuth {
  /**
   * `input` is a handle, a DID or a server's address. `nonce` belongs in a cookie of the browser that
   * asked: only that browser can complete this sign-in. Throws SignInError.
   */
  begin(input: string): Promise<{ url: URL; nonce: string }>
  /**
   * Throws SignInError; then there is no new session, the one that the account may have had stays, and a
   * state that came back to its own browser cannot be used again. `enter` is what makes the session used: a
   * `revoke` comes before both or after both. It learns what became of the grant that the account had. Returns
   * what it resolves to.
   */
  complete<T>(
    query: URLSearchParams,
    nonce: string | null,
    enter: (did: Did, before: GrantBefore) => Promise<T>,
  ): Promise<T>
  /** The account's session, its tokens renewed when they are stale. Throws SessionEndedError. */
  session(did: Did): Promise<AccountSession>
  has(did: Did): Promise<boolean>
  /** Resolves when the account's server says that the grant lives, a minute ago at most. Throws SessionEndedError. */
  confirm(did: Did): Promise<void>
  /** `isUnused` is asked when no sign-in and no renewal of the account is under way: only if it says so, it ends. */
  revoke(did: Did, isUnused?: () => Promise<boolean>): Promise<void>
  /** Seals sessions and keys with the newest secret, so that older ones can go. */
  sealAnew(): Promise<void>
  /** Who we are, for account servers to read. */
  clientMetadata(): Promise<ClientDocument>
  /** The keys that we sign with, the older ones too; none at a loopback address (RFC 7517 §5). */
  publicKeys(): Promise<{ keys: PublicKey[] }>
}

interface OAuthOptions {
  /** Of `BASE_URL`: https at a public name, or http at a loopback address. */
  readonly origin: string
  readonly identities: Identities
  readonly fetch: SafeFetch
  readonly rows: SealedRows
  readonly seal: Seal
  readonly withLease: WithLease
  readonly log: Log
  /** Called when an account's server has given new tokens, and awaited. */
  readonly onRenewed?: (did: Did) => Promise<void>
  /** Null at a loopback address, where account servers know nobody by a key. */
  readonly keys: ClientKeys | null
  /** Development only: account servers reached by plain http. */
  readonly allowHttp?: boolean
}

export function createOAuth(options: OAuthOptions): OAuth {
  const { withLease, fetch, keys, log, onRenewed, rows, seal } = options
  const { actorResolver } = options.identities
  const states = sealedStore<string, StoredState>(rows, seal, 'oauth-state', (s) => s.expiresAt)
  const sessions = sealedStore<Did, StoredSession>(rows, seal, sessionKind)
  const clients = createClients({ ...options, actorResolver })
  const accounts = new AccountSessions({
    clients,
    keys,
    sessions,
    states,
    fetch,
    withLease,
    log,
    ...(onRenewed && { onRenewed }),
  })

  return {
    async begin(input) {
      const nonce = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64url')
      try {
        const client = await clients.open(sessions, states)
        const { url } = await client.authorize({
          target: targetOf(input),
          state: { nonceHash: hashOf(nonce) },
        })
        return { url, nonce }
      } catch (error) {
        throw signInErrorOf(error)
      }
    },

    async complete(query, nonce, enter) {
      const state = query.get('state')
      // Nothing else may reach the database: PostgreSQL throws at text that holds NUL.
      const isState = state !== null && /^[\w-]{1,100}$/.test(state)
      const stored = isState ? await states.get(state) : undefined
      if (!stored || stored.expiresAt < Date.now()) throw new SignInError('expired')
      // The library does not bind the state to a browser: without this, a link with somebody else's
      // code and state would sign its visitor in as that somebody (RFC 6749 §10.12).
      if (!nonce || nonceHashOf(stored.userState) !== hashOf(nonce)) {
        throw new SignInError('other-browser')
      }
      try {
        // A sign-in that is not completed must not take the account's session away.
        const arrived = new MemoryStore<Did, StoredSession>()
        const { session } = await (await clients.open(arrived, states)).callback(query)
        const found = await arrived.get(session.did)
        const failure = found === undefined ? 'expired' : failureOf(found)
        if (found === undefined || failure !== null) {
          await session.signOut()
          throw new SignInError(failure ?? 'expired')
        }
        return await accounts.keep(session.did, found, (before) => enter(session.did, before))
      } catch (error) {
        throw signInErrorOf(error)
      }
    },

    session: (did) => accounts.open(did),
    has: async (did) => (await accounts.find(did)) !== undefined,
    confirm: (did) => accounts.confirm(did),
    revoke: (did, isUnused) => accounts.revoke(did, isUnused),
    async sealAnew() {
      await keys?.sealAnew()
      await accounts.sealAnew()
    },
    // The library's type of it names each field; for whoever reads it here it is JSON to be sent.
    clientMetadata: async () =>
      (await clients.open(sessions, states)).metadata as unknown as ClientDocument,
    publicKeys: async () => ({ keys: await clients.publicKeys() }),
  }
}

function targetOf(input: string): Parameters<OAuthClient['authorize']>[0]['target'] {
  const identifier = input.trim().replace(/^@/, '')
  if (/^https?:\/\//.test(identifier) && URL.canParse(identifier)) {
    return { type: 'pds', serviceUrl: new URL(identifier).origin }
  }
  if (!isActorIdentifier(identifier)) throw new SignInError('not-an-account-name')
  return { type: 'account', identifier }
}

/** Why a session that a server has given is none for us. */
function failureOf({ tokenSet }: StoredSession): 'scopes-missing' | 'unknown-account' | null {
  if (parseDid(tokenSet.sub) === null) return 'unknown-account'
  // A server drops scopes that it does not know without a word (atproto.md, "OAuth").
  const granted = new Set<string>(tokenSet.scope.split(' '))
  return scopes.every((scope) => granted.has(scope)) ? null : 'scopes-missing'
}

const hashOf = (nonce: string): string =>
  new Bun.CryptoHasher('sha256').update(nonce).digest('base64url')

function nonceHashOf(userState: unknown): unknown {
  return typeof userState === 'object' && userState !== null && 'nonceHash' in userState
    ? userState.nonceHash
    : null
}
