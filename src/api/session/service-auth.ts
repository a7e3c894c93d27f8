import type { PublicKey } from '@atcute/crypto'
import type { Context } from 'hono'
import { z } from 'zod'
import type { ApiContext, ApiEnv } from '#api/context.ts'
import { limitWindowMs, refusedTokens } from '#api/contract/limits.ts'
import { sentences } from '#api/contract/messages.ts'
import { ApiError } from '#api/errors.ts'
import { tooMany } from '#api/rate-limits.ts'
import { type Identity, IdentityError } from '#atproto/identity/identity.ts'
import { RateLimiter } from '#concurrency/rate-limiter.ts'
import { clientNetworkOf } from '#http/client-address.ts'
import { recordEvent } from '#observe/events.ts'
import { rateLimitedLog } from '#observe/rate-limited-log.ts'
import { audienceOf, manageMethod } from '#site/service-token.ts'
import { type Did, parseDid } from '#site/site-address.ts'
import { rememberUsedToken } from '#store/accounts/publishers.ts'
import { authorityOf, type BrowserSession } from '#store/accounts/sessions.ts'
import { secretHash } from './secrets.ts'

/** An account, in a browser that is signed in or in a program for which its server vouches. */
export type Owner = Pick<BrowserSession, 'did' | 'authority'>

/** Of the server's clock, ahead or behind. */
const leewayMs = 60_000
const tokenMsMax = 5 * 60_000
const tokenCharsMax = 4_000
const answerMsMax = 10_000

const headerOf = z.object({ alg: z.enum(['ES256', 'ES256K']) })
const claimsOf = z.object({
  iss: z.string().max(300),
  aud: z.string().max(300),
  lxm: z.string().max(300),
  exp: z.number(),
})

type Claims = z.output<typeof claimsOf>

interface ParsedToken {
  readonly alg: string
  readonly claims: Claims
  readonly did: Did
  /** What the server has signed. */
  readonly signed: string
  readonly signature: Uint8Array
}

interface ServiceAuthOptions
  extends Pick<
    ApiContext,
    'db' | 'elapsed' | 'identities' | 'log' | 'now' | 'oauth' | 'origin' | 'trustedProxies'
  > {
  readonly isAllowed: (did: Did) => Promise<boolean>
}

/**
 * Accepts programs of people who are signed in here, by tokens that their accounts' servers sign for this instance
 * (AT Protocol, "Inter-Service Authentication"; docs/adr/0031).
 */
export class ServiceAuth {
  readonly #options: ServiceAuthOptions
  readonly #refused: RateLimiter
  /** A request is let in once more when its body has arrived: its token is not used twice then. */
  readonly #entered = new WeakMap<Request, Owner>()

  constructor(options: ServiceAuthOptions) {
    this.#options = { ...options, log: rateLimitedLog(options.log) }
    const allowance = { count: refusedTokens.perClient, windowMs: limitWindowMs }
    this.#refused = new RateLimiter(allowance, { now: options.elapsed })
  }

  /** Null: the request brings no such token. Throws ApiError: 401 for one that does not work, 429 after too many of those. */
  async use(c: Context<ApiEnv>): Promise<Owner | null> {
    const request = c.req.raw
    const token = tokenIn(request.headers)
    if (token === null) return null
    const entered = this.#entered.get(request)
    if (entered !== undefined) return await this.#confirmed(entered)
    const network = clientNetworkOf(request, c.env?.server, this.#options.trustedProxies)
    const waitMs = this.#refused.waitMs(network)
    if (waitMs > 0) throw tooMany(`Too many ${refusedTokens.what}.`, waitMs)
    try {
      const owner = await this.#ownerOf(token)
      this.#entered.set(request, owner)
      return owner
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 401) throw error
      this.#refused.take(network)
      recordEvent(this.#options.log, 'token_refused', { network, reason: error.message })
      throw error
    }
  }

  async #ownerOf(token: string): Promise<Owner> {
    const { db, now, origin } = this.#options
    const parsed = parseToken(token)
    if (parsed === null) throw refused('serviceTokenInvalid')
    const { claims, did, signed } = parsed
    const [expiresAt, time] = [claims.exp * 1000, now()]
    if (claims.aud !== audienceOf(origin) || claims.lxm !== manageMethod) {
      throw refused('serviceTokenForOthers')
    }
    const isTimely = expiresAt + leewayMs > time && expiresAt - time <= tokenMsMax + leewayMs
    if (!isTimely) throw refused('serviceTokenExpired')
    // Before anything is asked about an account that strangers may have named.
    await this.#assertSignedIn(did)
    const identity = await this.#signerOf(parsed)
    if (identity === null) throw refused('serviceTokenInvalid')
    const used = { hash: secretHash(signed), expiresAt: expiresAt + leewayMs }
    if (!(await rememberUsedToken(db, used))) throw refused('serviceTokenUsed')
    return { did, authority: authorityOf(identity.pds, identity.signingMultikey) }
  }

  /** Null: the account's key has not signed it. */
  async #signerOf({ alg, did, signature, signed }: ParsedToken): Promise<Identity | null> {
    const { identities } = this.#options
    const signal = AbortSignal.timeout(answerMsMax)
    try {
      const known = await identities.resolve(did, { signal })
      if (await isSignedBy(known.signingKey, { alg, signature, signed })) return known
      // The account may have another key now.
      const fresh = await identities.resolve(did, { fresh: true, signal })
      return (await isSignedBy(fresh.signingKey, { alg, signature, signed })) ? fresh : null
    } catch (cause) {
      if (!(cause instanceof IdentityError) && !signal.aborted) throw cause
      throw new ApiError(502, sentences.identityUnanswered)
    }
  }

  async #confirmed(owner: Owner): Promise<Owner> {
    await this.#assertSignedIn(owner.did)
    return owner
  }

  async #assertSignedIn(did: Did): Promise<void> {
    const { isAllowed, oauth } = this.#options
    if (!((await oauth.has(did)) && (await isAllowed(did)))) throw refused('serviceTokenOfNobody')
  }
}

type Refusal =
  | 'serviceTokenInvalid'
  | 'serviceTokenForOthers'
  | 'serviceTokenExpired'
  | 'serviceTokenUsed'
  | 'serviceTokenOfNobody'

/** RFC 6750 §3. */
const refused = (reason: Refusal): ApiError =>
  new ApiError(401, sentences[reason], { 'www-authenticate': 'Bearer error="invalid_token"' })

/** Three parts with dots between them; a deploy token has none. */
function tokenIn(headers: Headers): string | null {
  const field = headers.get('authorization') ?? ''
  if (field.length > tokenCharsMax) return null
  return /^Bearer +([\w-]+\.[\w-]+\.[\w-]+)$/i.exec(field)?.[1] ?? null
}

function parseToken(token: string): ParsedToken | null {
  const [header = '', payload = '', signature = ''] = token.split('.')
  const head = headerOf.safeParse(jsonOf(header))
  const claims = claimsOf.safeParse(jsonOf(payload))
  const did = claims.success ? parseDid(claims.data.iss) : null
  if (!head.success || !claims.success || did === null) return null
  const bytes = Buffer.from(signature, 'base64url')
  const { alg } = head.data
  return { alg, claims: claims.data, did, signed: `${header}.${payload}`, signature: bytes }
}

function jsonOf(part: string): unknown {
  try {
    return JSON.parse(Buffer.from(part, 'base64url').toString())
  } catch {
    return null
  }
}

async function isSignedBy(
  key: PublicKey,
  { alg, signature, signed }: Pick<ParsedToken, 'alg' | 'signature' | 'signed'>,
): Promise<boolean> {
  if (key.jwtAlg !== alg || signature.length !== 64) return false
  return await key.verify(signature, Buffer.from(signed))
}
