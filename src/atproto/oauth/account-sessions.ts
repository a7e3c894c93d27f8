import { createDpopFetch } from '@atcute/oauth-crypto'
import type { StateStore, StoredSession } from '@atcute/oauth-node-client'
import { TtlMap } from '#concurrency/lru-map.ts'
import { SingleFlight } from '#concurrency/single-flight.ts'
import type { Log } from '#observe/log.ts'
import type { FetchLimits } from '#outbound/fetch-limits.ts'
import type { Did } from '#site/site-address.ts'
import type { ClientKeys, WithLease } from './client-keys.ts'
import type { Clients } from './oauth-client.ts'
import type { OAuthPoolName, OAuthPools } from './oauth-pools.ts'
import type { SealedStore } from './oauth-rows.ts'
import { endReplaced, type ReplacedLimits, renewReplaced } from './replaced-session.ts'
import { SessionEndedError } from './session-ended.ts'

export interface AccountSession {
  readonly did: Did
  /** `path` includes the query. Renews rejected tokens and retries. Throws SessionEndedError, and what `fetch` throws. */
  handle(path: string, init?: SessionRequest): Promise<Response>
}

export type SessionRequest = RequestInit & { readonly limits?: Partial<FetchLimits> }

/** Tokens are renewed when they expire within this time. */
const renewBeforeMs = 60_000
/** How long a grant counts as alive after its server confirmed it. */
const confirmedMs = 60_000
const confirmedKeysMax = 20_000
/** A request is retried with renewed tokens, then with the tokens of a newer sign-in. */
const sentMax = 3

/** State of the grant that a sign-in replaces. `ended`: there was none, or its server did not confirm it in time. */
export type GrantBefore = 'alive' | 'ended'

export interface AccountSessionsOptions {
  readonly clients: Clients
  readonly keys: ClientKeys | null
  readonly sessions: SealedStore<Did, StoredSession>
  readonly states: StateStore
  readonly pools: OAuthPools
  readonly withLease: WithLease
  readonly log: Log
  /** Called, and awaited, when an account's server has issued new tokens. */
  readonly onRenewed?: (did: Did) => Promise<void>
  readonly replacedLimits?: ReplacedLimits
  /** A monotonic clock. */
  readonly elapsed?: () => number
}

/**
 * One session per account, shared by all processes on one database. A refresh token can be used once, and the
 * reference server ends a session that uses it twice: so each renewal holds the account's lease, and the next holder
 * finds the new tokens. A holder that was suspended for longer than its lease may use a token after the next one has: the server then
 * ends the grant, which nobody here can prevent, and the account signs in again. What it writes late replaces nothing.
 */
export class AccountSessions {
  readonly #options: AccountSessionsOptions
  /** Renewals in this process, by the access token that they replace. */
  readonly #renewals = new SingleFlight<string, StoredSession>()
  /** Accounts whose servers issued tokens recently. */
  readonly #confirmed: TtlMap<Did, true>

  constructor(options: AccountSessionsOptions) {
    this.#options = options
    const { elapsed: now = () => performance.now() } = options
    this.#confirmed = new TtlMap({ max: confirmedKeysMax, ttlMs: confirmedMs, now })
  }

  /** Undefined: no session, or one begun under other keys or another address. */
  async find(did: Did): Promise<StoredSession | undefined> {
    const { keys, sessions } = this.#options
    const session = await sessions.get(did)
    const authMethod = session?.authMethod
    const isOurs =
      authMethod?.method === 'private_key_jwt'
        ? await keys?.has(authMethod.kid)
        : authMethod?.method === 'none' && keys === null
    return isOurs ? session : undefined
  }

  /** Opens the account's session, for requests of this pool, and renews stale tokens. Throws SessionEndedError. */
  async open(did: Did, pool: OAuthPoolName = 'members'): Promise<AccountSession> {
    const found = await this.find(did)
    if (found === undefined) throw new SessionEndedError(did)
    const session = isStale(found) ? await this.#renew(did, found, pool) : found
    return { did, handle: (path, init = {}) => this.#handle(did, session, pool, path, init) }
  }

  /**
   * Resolves if the account's server issued tokens for the grant within the last minute; otherwise renews them, once
   * for all concurrent callers: access tokens of some servers outlive their grant. Throws SessionEndedError when the
   * grant has ended, and what `fetch` throws.
   */
  async confirm(did: Did): Promise<void> {
    const found = await this.find(did)
    if (found === undefined) throw new SessionEndedError(did)
    if (this.#confirmed.get(did) === undefined) await this.#renew(did, found, 'members')
  }

  /** Stores a session after `enter`, under one lease; then revokes the replaced one, if its server answers soon. */
  async keep<T>(
    did: Did,
    session: StoredSession,
    enter: (before: GrantBefore) => Promise<T>,
  ): Promise<T> {
    const { pools, sessions } = this.#options
    const context = { ...this.#options, pool: pools.signIns }
    const [replaced, entered] = await this.#leased(did, async () => {
      const found = await this.find(did)
      const renewed = found && (await renewReplaced(did, found, context))
      // Its previous tokens are spent.
      if (renewed !== undefined) await sessions.set(did, renewed)
      // First: if it fails, the previous session stays.
      const entered = await enter(renewed === undefined ? 'ended' : 'alive')
      await sessions.set(did, session)
      this.#confirmed.set(did, true)
      return [renewed ?? found, entered] as const
    })
    if (replaced !== undefined) await endReplaced(did, replaced, context)
    return entered
  }

  /** Deletes the session and tries to revoke it at its server. Idempotent. `isUnused` is called under the lease. */
  async revoke(did: Did, isUnused: () => Promise<boolean> = async () => true): Promise<void> {
    const { clients, pools, sessions, states } = this.#options
    await this.#leased(did, async () => {
      if ((await sessions.get(did)) === undefined || !(await isUnused())) return
      if ((await this.find(did)) === undefined) return await sessions.delete(did)
      await (await clients.open(sessions.fenced(), states, pools.members)).revoke(did)
    })
  }

  /** Seals all rows with the newest secret, so that older ones can be removed. */
  async sealAnew(): Promise<void> {
    const { sessions } = this.#options
    for await (const [did] of sessions.entries()) {
      await this.#leased(did, async () => {
        const session = await sessions.get(did)
        if (session !== undefined) await sessions.set(did, session)
      })
    }
  }

  async #handle(
    did: Did,
    session: StoredSession,
    pool: OAuthPoolName,
    path: string,
    init: SessionRequest,
  ): Promise<Response> {
    let current: StoredSession | undefined = session
    for (let sent = 1; current !== undefined && sent <= sentMax; sent++) {
      const response = await this.#send(current, pool, path, init)
      if (!isInvalidToken(response)) return response
      await response.body?.cancel()
      current =
        sent === 1 ? await this.#renew(did, current, pool) : await this.#forget(did, current)
    }
    throw new SessionEndedError(did)
  }

  async #send(
    { dpopKey, tokenSet }: StoredSession,
    pool: OAuthPoolName,
    path: string,
    { limits = {}, body = null, ...init }: SessionRequest,
  ) {
    const { clients, pools } = this.#options
    const { fetch } = pools[pool]
    // Past the library, which would make a request of it: `fetch` reads it as it is sent.
    const blob = body instanceof Blob ? body : null
    const send = createDpopFetch({
      key: dpopKey,
      nonces: clients.nonces,
      isAuthServer: false,
      // The library passes a Request, which has no limits.
      fetch: ((request: Request) =>
        fetch(request, { limits, ...(blob && { body: blob }) })) as typeof globalThis.fetch,
    })
    const headers = new Headers(init.headers)
    headers.set('authorization', `${tokenSet.token_type} ${tokenSet.access_token}`)
    return await send(new URL(path, tokenSet.aud), { ...init, body: blob ? null : body, headers })
  }

  /** Renews the tokens of `spent`, once for all concurrent callers in all processes. */
  #renew(did: Did, spent: StoredSession, pool: OAuthPoolName): Promise<StoredSession> {
    const token = spent.tokenSet.access_token
    return this.#renewals.run(token, () =>
      this.#leased(did, () => this.#renewLeased(did, token, pool)),
    )
  }

  async #renewLeased(did: Did, spentToken: string, pool: OAuthPoolName): Promise<StoredSession> {
    const { clients, pools, sessions, states } = this.#options
    const before = await this.find(did)
    if (before === undefined) throw new SessionEndedError(did)
    if (before.tokenSet.access_token !== spentToken) return before
    let cause: unknown
    try {
      const client = await clients.open(sessions.fenced(), states, pools[pool])
      await client.restore(did, { refresh: true })
    } catch (error) {
      cause = error
    }
    // The library deletes a session that its server has ended. Any other failure may be temporary, and may have
    // happened after the new tokens were stored.
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

  /** Deletes the session, unless a newer sign-in replaced it: then returns that one. */
  async #forget(did: Did, session: StoredSession): Promise<StoredSession | undefined> {
    return await this.#leased(did, async () => {
      const now = await this.find(did)
      if (now?.tokenSet.access_token !== session.tokenSet.access_token) return now
      await this.#options.sessions.delete(did)
      return undefined
    })
  }

  #leased<T>(did: Did, work: () => Promise<T>): Promise<T> {
    return this.#options.withLease(`oauth session ${did}`, work)
  }
}

const isStale = ({ tokenSet }: StoredSession): boolean =>
  tokenSet.expires_at !== undefined && tokenSet.expires_at < Date.now() + renewBeforeMs

/** RFC 6750 §3.1, also with DPoP (RFC 9449 §7.1). */
function isInvalidToken(response: Response): boolean {
  const challenge = response.headers.get('www-authenticate') ?? ''
  return (
    response.status === 401 &&
    /^(?:DPoP|Bearer) /.test(challenge) &&
    challenge.includes('error="invalid_token"')
  )
}

/** The account has moved: the issuer of the tokens is not its server any more (library 2.0.1). */
const isOfAnotherServer = (error: unknown): boolean =>
  error instanceof TypeError && error.message.startsWith('issuer mismatch')
