import { createDpopFetch } from '@atcute/oauth-crypto'
import { MemoryStore, type StateStore, type StoredSession } from '@atcute/oauth-node-client'
import { TtlMap } from '#concurrency/lru-map.ts'
import { orAborted } from '#concurrency/or-aborted.ts'
import { SingleFlight } from '#concurrency/single-flight.ts'
import type { WithLease } from '#concurrency/with-lease.ts'
import type { Log } from '#observe/log.ts'
import type { FetchLimits } from '#outbound/fetch-limits.ts'
import type { SafeFetch } from '#outbound/safe-fetch.ts'
import type { Did } from '#site/site-address.ts'
import type { ClientKeys } from './client-keys.ts'
import type { Clients } from './oauth-client.ts'
import type { SealedStore } from './oauth-rows.ts'
import { SessionEndedError } from './session-ended.ts'

/** What acts for an account on its server. */
export interface AccountSession {
  readonly did: Did
  /**
   * A request to the account's server, `path` with its query. Tokens that the server does not take any more
   * are renewed, and the request is sent again. Throws SessionEndedError, and what `fetch` throws.
   */
  handle(path: string, init?: SessionRequest): Promise<Response>
}

export type SessionRequest = RequestInit & { readonly limits?: Partial<FetchLimits> }

/** Tokens are renewed when they have less than this left. */
const renewBeforeMs = 60_000
/** A grant that its server has confirmed counts as alive for so long. */
const confirmedMs = 60_000
const confirmedKeysMax = 20_000
/** A call is sent again with tokens in place of those it had, and with those of who signed in since. */
const sentMax = 3
/** How long a sign-in waits for the server's word on the grant that it replaces, and for the end of that. */
const replacedConfirmMsMax = 2_000
const replacedEndMsMax = 1_000

/** Of the grant that a sign-in replaces: `ended` where there was none, or its server did not say in time that it lives. */
export type GrantBefore = 'alive' | 'ended'

interface AccountSessionsOptions {
  readonly clients: Clients
  readonly keys: ClientKeys | null
  readonly sessions: SealedStore<Did, StoredSession>
  readonly states: StateStore
  readonly fetch: SafeFetch
  readonly withLease: WithLease
  readonly log: Log
  /** Called when an account's server has given new tokens, and awaited. */
  readonly onRenewed?: (did: Did) => Promise<void>
  /** A monotonic clock. */
  readonly elapsed?: () => number
}

/**
 * The sessions of accounts, one each, shared by all processes on one database. A refresh token can be used
 * once, and the reference server ends the session that uses it twice: so renewals take turns, and whoever
 * waited finds the tokens that the one before has brought.
 */
export class AccountSessions {
  readonly #options: AccountSessionsOptions
  /** Of this process, by the access token that they replace. */
  readonly #renewals = new SingleFlight<string, StoredSession>()
  /** Whose servers gave tokens just now. */
  readonly #confirmed: TtlMap<Did, true>

  constructor(options: AccountSessionsOptions) {
    this.#options = options
    const { elapsed: now = () => performance.now() } = options
    this.#confirmed = new TtlMap({ max: confirmedKeysMax, ttlMs: confirmedMs, now })
  }

  /** Undefined: none, or one that a service with other keys or another address began. */
  async find(did: Did): Promise<StoredSession | undefined> {
    const { keys, sessions } = this.#options
    const session = await sessions.get(did)
    if (session === undefined) return undefined
    const { authMethod } = session
    const isOurs =
      keys === null
        ? authMethod.method === 'none'
        : authMethod.method === 'private_key_jwt' && (await keys.has(authMethod.kid))
    return isOurs ? session : undefined
  }

  /** The account's session, its tokens renewed when they are stale. Throws SessionEndedError. */
  async open(did: Did): Promise<AccountSession> {
    const found = await this.find(did)
    if (found === undefined) throw new SessionEndedError(did)
    const session = isStale(found) ? await this.#renew(did, found) : found
    return { did, handle: (path, init = {}) => this.#handle(did, session, path, init) }
  }

  /**
   * Resolves when the account's server has given tokens for the grant within the last minute, for which it may be asked for
   * new ones: access tokens of some servers outlive a grant that has ended. Once, however many ask. Throws
   * SessionEndedError when the grant has ended, and what `fetch` throws.
   */
  async confirm(did: Did): Promise<void> {
    const found = await this.find(did)
    if (found === undefined) throw new SessionEndedError(did)
    if (this.#confirmed.get(did) === undefined) await this.#renew(did, found)
  }

  /**
   * Keeps what a sign-in has brought, in place of what was there, which is then ended on its server, if that
   * answers soon. In the same turn goes `enter`, and what it resolves to is returned.
   */
  async keep<T>(
    did: Did,
    session: StoredSession,
    enter: (before: GrantBefore) => Promise<T>,
  ): Promise<T> {
    const { sessions } = this.#options
    const [replaced, entered] = await this.#inTurn(did, async () => {
      const found = await this.find(did)
      const renewed = found && (await this.#renewReplaced(did, found))
      // The tokens that it had are spent.
      if (renewed !== undefined) await sessions.set(did, renewed)
      // First: when it fails, what was there stays.
      const entered = await enter(renewed === undefined ? 'ended' : 'alive')
      await sessions.set(did, session)
      this.#confirmed.set(did, true)
      return [renewed ?? found, entered] as const
    })
    if (replaced !== undefined) await this.#endReplaced(did, replaced)
    return entered
  }

  /**
   * Ends it on the account's server as well, if that answers. Harmless when there is none. `isUnused` is asked
   * in turn: whoever signs in before keeps the session.
   */
  async revoke(did: Did, isUnused: () => Promise<boolean> = async () => true): Promise<void> {
    const { clients, sessions, states } = this.#options
    await this.#inTurn(did, async () => {
      if ((await sessions.get(did)) === undefined || !(await isUnused())) return
      if ((await this.find(did)) === undefined) return await sessions.delete(did)
      const client = await clients.open(sessions, states)
      await client.revoke(did)
    })
  }

  /** Seals all with the newest secret, so that older ones can go. */
  async sealAnew(): Promise<void> {
    const { sessions } = this.#options
    for await (const [did] of sessions.entries()) {
      await this.#inTurn(did, async () => {
        const session = await sessions.get(did)
        if (session !== undefined) await sessions.set(did, session)
      })
    }
  }

  /** With new tokens, by which its server says that the grant lives; undefined when none came in time. */
  async #renewReplaced(did: Did, replaced: StoredSession): Promise<StoredSession | undefined> {
    const { clients, log, states } = this.#options
    // Of its own: what comes too late must not take the place of what the sign-in brings.
    const store = new MemoryStore<Did, StoredSession>()
    await store.set(did, replaced)
    const renew = async () => (await clients.open(store, states)).restore(did, { refresh: true })
    try {
      await orAborted(renew(), AbortSignal.timeout(replacedConfirmMsMax))
    } catch (error) {
      log.warn('replaced session not confirmed', { did, error })
    }
    const after = await store.get(did)
    return after?.tokenSet.access_token === replaced.tokenSet.access_token ? undefined : after
  }

  /** Nobody renews it any more. Whoever still sends its tokens finds the new ones when they are refused. */
  async #endReplaced(did: Did, replaced: StoredSession): Promise<void> {
    const { clients, log, states } = this.#options
    const revoke = async (): Promise<void> => {
      const store = new MemoryStore<Did, StoredSession>()
      await store.set(did, replaced)
      await (await clients.open(store, states)).revoke(did)
    }
    try {
      await orAborted(revoke(), AbortSignal.timeout(replacedEndMsMax))
    } catch (error) {
      log.warn('replaced session not revoked', { did, error })
    }
  }

  async #handle(
    did: Did,
    session: StoredSession,
    path: string,
    init: SessionRequest,
  ): Promise<Response> {
    let current: StoredSession | undefined = session
    for (let sent = 1; current !== undefined && sent <= sentMax; sent++) {
      const response = await this.#send(current, path, init)
      if (!isInvalidToken(response)) return response
      await response.body?.cancel()
      current = sent === 1 ? await this.#renew(did, current) : await this.#forget(did, current)
    }
    throw new SessionEndedError(did)
  }

  async #send(
    { dpopKey, tokenSet }: StoredSession,
    path: string,
    { limits = {}, ...init }: SessionRequest,
  ) {
    const { clients, fetch } = this.#options
    const send = createDpopFetch({
      key: dpopKey,
      nonces: clients.nonces,
      isAuthServer: false,
      // It gets a whole request, which knows of no limits.
      fetch: ((request: Request) => fetch(request, { limits })) as typeof globalThis.fetch,
    })
    const headers = new Headers(init.headers)
    headers.set('authorization', `${tokenSet.token_type} ${tokenSet.access_token}`)
    return await send(new URL(path, tokenSet.aud), { ...init, headers })
  }

  /** Tokens in place of those of `spent`: fetched once, however many ask, wherever they are. */
  #renew(did: Did, spent: StoredSession): Promise<StoredSession> {
    const token = spent.tokenSet.access_token
    return this.#renewals.run(token, () => this.#inTurn(did, () => this.#renewInTurn(did, token)))
  }

  async #renewInTurn(did: Did, spentToken: string): Promise<StoredSession> {
    const { clients, sessions, states } = this.#options
    const before = await this.find(did)
    if (before === undefined) throw new SessionEndedError(did)
    if (before.tokenSet.access_token !== spentToken) return before
    let cause: unknown
    try {
      const client = await clients.open(sessions, states)
      await client.restore(did, { refresh: true })
    } catch (error) {
      cause = error
    }
    // The library deletes a session that its server has ended. Any other failure may pass, and may have
    // come after the new tokens were there.
    const after = await sessions.get(did)
    if (after === undefined) throw new SessionEndedError(did, { cause })
    if (after.tokenSet.access_token !== spentToken) {
      await this.#options.onRenewed?.(did)
      this.#confirmed.set(did, true)
      return after
    }
    if (!isOfAnotherServer(cause)) throw cause
    await sessions.delete(did)
    throw new SessionEndedError(did, { cause })
  }

  /** Unless somebody signed in meanwhile: then, what that has brought. */
  async #forget(did: Did, session: StoredSession): Promise<StoredSession | undefined> {
    return await this.#inTurn(did, async () => {
      const now = await this.find(did)
      if (now?.tokenSet.access_token !== session.tokenSet.access_token) return now
      await this.#options.sessions.delete(did)
      return undefined
    })
  }

  #inTurn<T>(did: Did, work: () => Promise<T>): Promise<T> {
    return this.#options.withLease(`oauth session ${did}`, work)
  }
}

const isStale = ({ tokenSet }: StoredSession): boolean =>
  tokenSet.expires_at !== undefined && tokenSet.expires_at < Date.now() + renewBeforeMs

/** RFC 6750 §3.1, as the account's server says it with DPoP (RFC 9449 §7.1). */
function isInvalidToken(response: Response): boolean {
  const challenge = response.headers.get('www-authenticate') ?? ''
  return (
    response.status === 401 &&
    /^(?:DPoP|Bearer) /.test(challenge) &&
    challenge.includes('error="invalid_token"')
  )
}

/** The account has moved: the server that gave the tokens is not its server any more (library, 2.0.1). */
const isOfAnotherServer = (error: unknown): boolean =>
  error instanceof TypeError && error.message.startsWith('issuer mismatch')
