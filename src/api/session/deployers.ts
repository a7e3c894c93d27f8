import type { Context } from 'hono'
import type { ApiContext, ApiEnv } from '#api/context.ts'
import { limitWindowMs, refusedTokens } from '#api/contract/limits.ts'
import { sentences } from '#api/contract/messages.ts'
import { ApiError } from '#api/errors.ts'
import { tooMany } from '#api/rate-limits.ts'
import { RateLimiter } from '#concurrency/rate-limiter.ts'
import { clientNetworkOf } from '#http/client-address.ts'
import { recordEvent } from '#observe/events.ts'
import { rateLimitedLog } from '#observe/rate-limited-log.ts'
import type { Did } from '#site/site-address.ts'
import type { SiteName } from '#site/site-name.ts'
import {
  type DeployToken,
  findDeployToken,
  touchDeployToken,
} from '#store/accounts/deploy-tokens.ts'
import { newSecret, secretHash } from './secrets.ts'

/** Who deploys: an account that is signed in, or a program with a token of one of its sites. */
export interface Deployer {
  readonly did: Did
  /** Null: the account itself. */
  readonly token: DeployToken | null
}

const prefix = 'shd_'
const touchEveryMs = 60_000

interface DeployersOptions
  extends Pick<ApiContext, 'db' | 'elapsed' | 'log' | 'now' | 'oauth' | 'trustedProxies'> {
  readonly isAllowed: (did: Did) => Promise<boolean>
}

export const newTokenSecret = (): string => prefix + newSecret()

/** The deploy token that a request brings in `Authorization`; null: none. */
export function tokenIn(headers: Headers): string | null {
  const [, token] = /^Bearer +(\S{1,200})$/i.exec(headers.get('authorization') ?? '') ?? []
  return token?.startsWith(prefix) ? token : null
}

/** Finds out which deploy token a request brings. */
export class Deployers {
  readonly #options: DeployersOptions
  readonly #refused: RateLimiter

  constructor(options: DeployersOptions) {
    this.#options = { ...options, log: rateLimitedLog(options.log) }
    const allowance = { count: refusedTokens.perClient, windowMs: limitWindowMs }
    this.#refused = new RateLimiter(allowance, { now: options.elapsed })
  }

  /** Marks the token as used. Throws ApiError: 401 for one that does not work, 429 after too many of those. */
  async use(secret: string, c: Context<ApiEnv>): Promise<Deployer> {
    const { db, now, trustedProxies } = this.#options
    const network = clientNetworkOf(c.req.raw, c.env?.server, trustedProxies)
    const waitMs = this.#refused.waitMs(network)
    if (waitMs > 0) throw tooMany(`Too many ${refusedTokens.what}.`, waitMs)
    const token = await findDeployToken(db, secretHash(secret))
    if (token === null) throw this.#refuse('unknown', { network })
    const refusal = await this.#refusalOf(token)
    if (refusal !== null) throw this.#refuse(refusal, { network, token })
    const { did, id, usedAt } = token
    if (now() - (usedAt ?? 0) > touchEveryMs) await touchDeployToken(db, id, now())
    return { did, token }
  }

  async #refusalOf({ did, endedBy, expiresAt }: DeployToken): Promise<Refusal | null> {
    const { isAllowed, now, oauth } = this.#options
    if (endedBy !== null) return endedBy
    if (expiresAt <= now()) return 'expired'
    return (await oauth.has(did)) && (await isAllowed(did)) ? null : 'signed-out'
  }

  /** RFC 6750 §3. */
  #refuse(reason: Refusal, facts: { network: string; token?: DeployToken }): ApiError {
    const { network, token } = facts
    this.#refused.take(network)
    const whose = token === undefined ? {} : { did: token.did, site: token.site, subject: token.id }
    recordEvent(this.#options.log, 'token_refused', { ...whose, network, reason })
    return new ApiError(401, sentences[reasons[reason]], {
      'www-authenticate': 'Bearer error="invalid_token"',
    })
  }
}

const reasons = {
  unknown: 'tokenUnknown',
  expired: 'tokenExpired',
  revoked: 'tokenRevoked',
  'signed-out': 'tokenSignedOut',
} as const

type Refusal = keyof typeof reasons

/** Throws ApiError 403 for a token of another site, or one of previews for what is none. */
export function assertMayDeploy(
  { token }: Deployer,
  { site, isPreview }: { readonly site: SiteName; readonly isPreview: boolean },
): void {
  if (token === null) return
  if (token.site !== site) throw new ApiError(403, sentences.tokenOfOtherSite)
  if (token.scope === 'preview' && !isPreview) throw new ApiError(403, sentences.tokenForPreviews)
}
