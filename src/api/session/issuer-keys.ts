import { z } from 'zod'
import { LoadingTtlMap } from '#concurrency/loading-ttl-map.ts'
import { RateLimiter } from '#concurrency/rate-limiter.ts'
import { smallAnswer } from '#outbound/answer-body.ts'
import { boundedJson } from '#outbound/json-scan.ts'
import type { SafeFetch } from '#outbound/safe-fetch.ts'

/** The issuer did not answer, or not with what OpenID Connect Discovery 1.0 asks for. */
export class IssuerError extends Error {
  override readonly name = 'IssuerError'
  readonly issuer: string

  constructor(issuer: string, message: string, options?: ErrorOptions) {
    super(`${message}; issuer=${issuer}`, options)
    this.issuer = issuer
  }
}

const issuersMax = 200
const keysMax = 50
const keysMs = 60 * 60 * 1000
/** An unknown key makes us ask again, so often: tokens of strangers must not make us ask all the time. */
const refresh = { count: 1, windowMs: 60_000 }
const askMsMax = 10_000

const discovered = z.object({ issuer: z.string(), jwks_uri: z.url() })
const key = z.looseObject({
  kty: z.enum(['RSA', 'EC']),
  kid: z.string(),
  alg: z.string().exactOptional(),
  use: z.string().exactOptional(),
  n: z.string().exactOptional(),
})
const keySet = z.object({ keys: z.array(z.unknown()).max(keysMax) })

export type IssuerKey = z.output<typeof key>

interface KeysOptions {
  readonly fetch: SafeFetch
  /** Monotonic milliseconds. */
  readonly elapsed: () => number
}

/** The keys that issuers publish, by discovery; kept for an hour. */
export class IssuerKeys {
  readonly #fetch: SafeFetch
  readonly #known: LoadingTtlMap<readonly IssuerKey[]>
  readonly #refreshes: RateLimiter

  constructor({ elapsed, fetch }: KeysOptions) {
    this.#fetch = fetch
    const times = { max: issuersMax, ttlMs: keysMs, now: elapsed }
    this.#known = new LoadingTtlMap((issuer) => this.#read(issuer), times)
    this.#refreshes = new RateLimiter(refresh, { now: elapsed, keysMax: issuersMax })
  }

  /** Asks once more for a key that is not known. Throws IssuerError. */
  async find(
    issuer: string,
    wanted: { readonly alg: 'RS256' | 'ES256'; readonly kid: string },
  ): Promise<IssuerKey | null> {
    const known = keyIn(await this.#known.get(issuer), wanted)
    if (known !== null || this.#refreshes.take(issuer) > 0) return known
    this.#known.forget(issuer)
    return keyIn(await this.#known.get(issuer), wanted)
  }

  async #read(issuer: string): Promise<readonly IssuerKey[]> {
    const about = discovered.safeParse(
      await this.#ask(issuer, `${issuer}/.well-known/openid-configuration`),
    )
    if (!about.success || about.data.issuer !== issuer) {
      throw new IssuerError(issuer, 'discovery names another issuer, or none')
    }
    const set = keySet.safeParse(await this.#ask(issuer, about.data.jwks_uri))
    if (!set.success) throw new IssuerError(issuer, 'no set of keys')
    return set.data.keys.flatMap((each) => key.safeParse(each).data ?? [])
  }

  async #ask(issuer: string, url: string): Promise<unknown> {
    try {
      const response = await this.#fetch(url, {
        headers: { accept: 'application/json' },
        limits: { responseBytesMax: smallAnswer.bytesMax },
        signal: AbortSignal.timeout(askMsMax),
      })
      if (!response.ok) throw new IssuerError(issuer, `status ${response.status} of ${url}`)
      return await (await boundedJson(response, smallAnswer)).json()
    } catch (cause) {
      if (cause instanceof IssuerError) throw cause
      throw new IssuerError(issuer, `no answer of ${url}`, { cause })
    }
  }
}

function keyIn(
  keys: readonly IssuerKey[],
  { alg, kid }: { readonly alg: 'RS256' | 'ES256'; readonly kid: string },
): IssuerKey | null {
  const kty = alg === 'RS256' ? 'RSA' : 'EC'
  return (
    keys.find(
      (each) =>
        each.kid === kid &&
        each.kty === kty &&
        (each.alg ?? alg) === alg &&
        (each.use ?? 'sig') === 'sig' &&
        !isTooShort(each),
    ) ?? null
  )
}

/** NIST SP 800-131A: RSA below 2048 bits no longer proves anything. */
const isTooShort = ({ kty, n }: IssuerKey): boolean =>
  kty === 'RSA' && Buffer.from(n ?? '', 'base64url').length < 256
