import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto'
import { rootCertificates } from 'node:tls'
import {
  type AcmeAuthorization,
  type AcmeDirectory,
  type AcmeOrder,
  authorizationSchema,
  directorySchema,
  orderSchema,
  type RenewalWindow,
  renewalInfoSchema,
} from './acme-answers.ts'
import { AcmeProblemError, acmeProblem } from './acme-problem.ts'
import { type ExternalAccount, externalAccountBinding } from './external-account.ts'

const answerMsMax = 20_000
const answerBytesMax = 256 * 1024
/** An authority may refuse a nonce for no fault of ours (RFC 8555 §6.5); one that refuses every second one is bearable so. */
const nonceTriesMax = 16

/** An answer, and how long the authority wants to be left alone before it is asked again. */
export interface Waiting<T> {
  readonly value: T
  readonly retryAfterMs: number | null
}

interface Registration {
  /** `mailto:` addresses. */
  readonly contact: readonly string[]
  /** Null: anybody may have an account. */
  readonly externalAccount: ExternalAccount | null
}

/** What authorities accept in an order beyond RFC 8555. */
export interface OrderExtras {
  /** The certificate that this one is to replace, as `certificateId` (RFC 9773 §5). */
  readonly replaces?: string
  readonly profile?: string
}

interface ClientOptions {
  /** URL of the authority's directory. */
  readonly directory: string
  /** P-256, in PEM (PKCS #8). */
  readonly accountKey: string
  /** Certificates of roots to trust in addition, in PEM. */
  readonly ca: readonly string[]
  readonly signal: AbortSignal
}

/**
 * A client of RFC 8555 for one account. Every method throws AcmeProblemError for what the authority refuses, and what `fetch` throws when it
 * cannot be reached. Not safe for concurrent use of one nonce: each call takes the last one, or asks for another.
 */
export class AcmeClient {
  readonly #options: ClientOptions
  readonly #key: KeyObject
  readonly #jwk: {
    readonly kty: string
    readonly crv: string
    readonly x: string
    readonly y: string
  }
  #directory: AcmeDirectory | null = null
  #account: string | null = null
  #nonces: string[] = []

  constructor(options: ClientOptions) {
    this.#options = options
    this.#key = createPrivateKey(options.accountKey)
    const {
      crv = '',
      kty = '',
      x = '',
      y = '',
    } = createPublicKey(this.#key).export({ format: 'jwk' })
    this.#jwk = { crv, kty, x, y }
  }

  /** RFC 7638: the members of the key in this order. */
  get #thumbprint(): string {
    const { crv, kty, x, y } = this.#jwk
    return createHash('sha256').update(JSON.stringify({ crv, kty, x, y })).digest('base64url')
  }

  /** URL of our account; null before `register`. */
  get accountUrl(): string | null {
    return this.#account
  }

  /** What the authority offers; asked for once. */
  async directory(): Promise<AcmeDirectory> {
    this.#directory ??= directorySchema.parse((await this.#fetch(this.#options.directory)).json)
    return this.#directory
  }

  /** Finds the account of the key, or makes it. Accepts the authority's terms. */
  async register({ contact, externalAccount }: Registration): Promise<void> {
    const { newAccount } = await this.directory()
    const body = {
      termsOfServiceAgreed: true,
      ...(contact.length > 0 && { contact }),
      ...(externalAccount && {
        externalAccountBinding: externalAccountBinding(externalAccount, this.#jwk, newAccount),
      }),
    }
    const answer = await this.#post(newAccount, body, { byKey: true })
    this.#account = answer.headers.get('location')
    if (this.#account === null) throw new Error('ACME account without a location')
  }

  async newOrder(names: readonly string[], extras: OrderExtras = {}): Promise<AcmeOrder> {
    const { newOrder } = await this.directory()
    const identifiers = names.map((value) => ({ type: 'dns', value }))
    const answer = await this.#post(newOrder, { identifiers, ...extras })
    return { ...orderSchema.parse(answer.json), url: answer.headers.get('location') ?? '' }
  }

  /** Null: the authority does not say when certificates are to be renewed. `id`: as `certificateId`. */
  async renewalInfo(id: string): Promise<Waiting<RenewalWindow> | null> {
    const { renewalInfo } = await this.directory()
    if (renewalInfo === undefined) return null
    const { json, retryAfterMs } = await this.#fetch(`${renewalInfo}/${id}`)
    return { value: renewalInfoSchema.parse(json), retryAfterMs }
  }

  async order(url: string): Promise<Waiting<AcmeOrder>> {
    const answer = await this.#post(url, null)
    const value = { ...orderSchema.parse(answer.json), url }
    return { value, retryAfterMs: answer.retryAfterMs }
  }

  async authorization(url: string): Promise<Waiting<AcmeAuthorization>> {
    const { json, retryAfterMs } = await this.#post(url, null)
    return { value: authorizationSchema.parse(json), retryAfterMs }
  }

  /** Asks the authority to look at the answer to a challenge. */
  async accept(challengeUrl: string): Promise<void> {
    await this.#post(challengeUrl, {})
  }

  /** What answers a challenge with this token (RFC 8555 §8.1). */
  keyAuthorization(token: string): string {
    return `${token}.${this.#thumbprint}`
  }

  /** `csr`: DER. */
  async finalize({ finalize, url }: AcmeOrder, csr: Uint8Array): Promise<AcmeOrder> {
    const { json } = await this.#post(finalize, { csr: base64url(csr) })
    return { ...orderSchema.parse(json), url }
  }

  /** The chain, in PEM. */
  async certificate(url: string): Promise<string> {
    return (await this.#post(url, null)).text
  }

  /** `body` null: POST-as-GET. */
  async #post(url: string, body: object | null, { byKey = false } = {}) {
    for (let tries = 1; ; tries++) {
      const nonce = this.#nonces.pop() ?? (await this.#newNonce())
      const signedBy = byKey ? { jwk: this.#jwk } : { kid: this.#account }
      const header = base64url(JSON.stringify({ alg: 'ES256', nonce, url, ...signedBy }))
      const payload = body === null ? '' : base64url(JSON.stringify(body))
      const data = new TextEncoder().encode(`${header}.${payload}`)
      const signature = base64url(
        sign('sha256', data, { key: this.#key, dsaEncoding: 'ieee-p1363' }),
      )
      try {
        return await this.#fetch(url, {
          method: 'POST',
          headers: { 'content-type': 'application/jose+json' },
          body: JSON.stringify({ protected: header, payload, signature }),
        })
      } catch (error) {
        const isNonce = error instanceof AcmeProblemError && error.type === 'badNonce'
        if (!isNonce || tries === nonceTriesMax) throw error
      }
    }
  }

  async #newNonce(): Promise<string> {
    const { newNonce } = await this.directory()
    await this.#fetch(newNonce, { method: 'HEAD' })
    const nonce = this.#nonces.pop()
    if (nonce === undefined) throw new Error('ACME authority gave no nonce')
    return nonce
  }

  async #fetch(url: string, init: RequestInit = {}) {
    const { ca, signal } = this.#options
    const answer = await fetch(url, {
      ...init,
      redirect: 'error',
      signal: AbortSignal.any([signal, AbortSignal.timeout(answerMsMax)]),
      ...(ca.length > 0 && { tls: { ca: [...ca, ...rootCertificates] } }),
    })
    const nonce = answer.headers.get('replay-nonce')
    if (nonce !== null) this.#nonces = [nonce]
    const text = await boundedText(answer)
    const retryAfterMs = retryAfterOf(answer.headers)
    if (!answer.ok) throw acmeProblem(text, answer.status, retryAfterMs)
    return {
      headers: answer.headers,
      retryAfterMs,
      text,
      get json(): unknown {
        return JSON.parse(text)
      },
    }
  }
}

const base64url = (data: string | Uint8Array): string => Buffer.from(data).toString('base64url')

async function boundedText(answer: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of answer.body ?? []) {
    length += chunk.length
    if (length > answerBytesMax) throw new Error('ACME answer too long')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

/** Seconds; authorities do not send dates. */
function retryAfterOf(headers: Headers): number | null {
  const seconds = headers.get('retry-after')
  return seconds !== null && /^\d{1,7}$/.test(seconds) ? Number(seconds) * 1000 : null
}
