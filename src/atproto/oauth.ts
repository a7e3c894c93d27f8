import { type Did, isActorIdentifier } from '@atcute/lexicons/syntax'
import {
  OAuthClient,
  type OAuthSession,
  type StoredSession,
  type StoredState,
} from '@atcute/oauth-node-client'
import { parseDid } from '#site/site-address.ts'
import type { Identities } from './identity.ts'
import { type SealedRows, sealedStore } from './oauth-rows.ts'
import type { SafeFetch } from './safe-fetch.ts'
import type { Seal } from './seal.ts'
import { SignInError, signInErrorOf } from './sign-in-error.ts'

/** What Sitehost asks an account's owner for: its own three collections, and to store blobs. */
export const scopes = [
  'atproto',
  'repo:place.sitehost.fs',
  'repo:place.sitehost.subfs',
  'repo:place.sitehost.settings',
  'blob:*/*',
] as const

export interface OAuth {
  /**
   * `input` is a handle, a DID or a server's address. `nonce` belongs in a cookie of the browser that
   * asked: only that browser can complete this sign-in. Throws SignInError.
   */
  begin(input: string): Promise<{ url: URL; nonce: string }>
  /**
   * Throws SignInError; then there is no session, and a state that came back to its own browser cannot be
   * used again.
   */
  complete(query: URLSearchParams, nonce: string | null): Promise<Did>
  /** The account's session, its tokens refreshed when they are stale. Throws SessionEndedError. */
  session(did: Did): Promise<OAuthSession>
  has(did: Did): Promise<boolean>
  revoke(did: Did): Promise<void>
}

/** The account has no session here any more: signed out, revoked on its server, or expired. */
export class SessionEndedError extends Error {
  override readonly name = 'SessionEndedError'
  readonly did: Did

  constructor(did: Did, options?: ErrorOptions) {
    super(`no usable session; did=${did}`, options)
    this.did = did
  }
}

interface OAuthOptions {
  readonly redirectUri: string
  readonly identities: Identities
  readonly fetch: SafeFetch
  readonly rows: SealedRows
  readonly seal: Seal
  /** Development only: account servers reached by plain http. */
  readonly allowHttp?: boolean
}

export function createOAuth(options: OAuthOptions): OAuth {
  const { rows, seal } = options
  const states = sealedStore<string, StoredState>(rows, seal, 'oauth-state', (s) => s.expiresAt)
  const sessions = sealedStore<Did, StoredSession>(rows, seal, 'oauth-session')
  const client = new OAuthClient({
    metadata: { redirect_uris: [options.redirectUri], scope: [...scopes] },
    stores: { sessions, states },
    actorResolver: options.identities.actorResolver,
    fetch: options.fetch as typeof fetch,
  })
  if (options.allowHttp) allowHttpServers(client)

  return {
    async begin(input) {
      const nonce = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64url')
      try {
        const { url } = await client.authorize({
          target: targetOf(input),
          state: { nonceHash: hashOf(nonce) },
        })
        return { url, nonce }
      } catch (error) {
        throw signInErrorOf(error)
      }
    },

    async complete(query, nonce) {
      const state = query.get('state')
      const stored = state === null ? undefined : await states.get(state)
      if (!stored || stored.expiresAt < Date.now()) throw new SignInError('expired')
      // The library does not bind the state to a browser: without this, a link with somebody else's
      // code and state would sign its visitor in as that somebody (RFC 6749 §10.12).
      if (!nonce || nonceHashOf(stored.userState) !== hashOf(nonce)) {
        throw new SignInError('other-browser')
      }
      try {
        const { session } = await client.callback(query)
        await assertScopes(session)
        if (parseDid(session.did) === null) throw new SignInError('unknown-account')
        return session.did
      } catch (error) {
        throw signInErrorOf(error)
      }
    },

    async session(did) {
      if ((await sessions.get(did)) === undefined) throw new SessionEndedError(did)
      try {
        return await client.restore(did)
      } catch (cause) {
        // The library deletes a session that its server has ended; any other failure may pass.
        if ((await sessions.get(did)) === undefined) throw new SessionEndedError(did, { cause })
        throw cause
      }
    },

    has: async (did) => (await sessions.get(did)) !== undefined,

    async revoke(did) {
      if ((await sessions.get(did)) !== undefined) await client.revoke(did)
    },
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

// A server drops scopes that it does not know without a word (atproto.md, "OAuth").
async function assertScopes(session: OAuthSession): Promise<void> {
  const granted = new Set((await session.getTokenInfo(false)).scope.split(' '))
  if (scopes.every((scope) => granted.has(scope))) return
  await session.signOut()
  throw new SignInError('scopes-missing')
}

const hashOf = (nonce: string): string =>
  new Bun.CryptoHasher('sha256').update(nonce).digest('base64url')

function nonceHashOf(userState: unknown): unknown {
  return typeof userState === 'object' && userState !== null && 'nonceHash' in userState
    ? userState.nonceHash
    : null
}

// The library keeps these switches private and has no option for them (2.0.1, pinned; devnet tests it).
function allowHttpServers(client: OAuthClient): void {
  const { resolver } = client as unknown as {
    resolver: Record<
      'protectedResourceResolver' | 'authorizationServerResolver',
      { allowHttp: boolean }
    >
  }
  resolver.protectedResourceResolver.allowHttp = true
  resolver.authorizationServerResolver.allowHttp = true
}
