import { createHmac } from 'node:crypto'

/** Form of the request: Cloudflare's, Fastly's, or Cloudflare's with a signature in place of the token. */
type PurgeKind = 'hosts' | 'keys' | 'signed'

/** The purge interface of a CDN, or of a program in front of it. */
export interface CdnOptions {
  readonly url: string
  readonly kind: PurgeKind
  /** Sent as `Authorization: Bearer`, or the key of signatures; null: without. */
  readonly token: string | null
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>
  readonly signal: AbortSignal
}

/** `refused`: the request itself, as with a host that the CDN does not serve; it gets the same answer again. */
export type PurgeAnswer =
  | { readonly kind: 'done' }
  | { readonly kind: 'refused'; readonly status: number }
  | { readonly kind: 'failed'; readonly status: number; readonly retryAfterMs: number }

/** Cloudflare takes up to 100 in a request (https://developers.cloudflare.com/cache/how-to/purge-cache). */
export const hostsOfPurgeMax = 30
const answerMsMax = 10_000
/** A server that asks for more is asked again nevertheless. */
const retryAfterSecondsMax = 15 * 60
const refusing = new Set([400, 422])

/** Purges by host names, or of everything. Throws what fetch throws. */
export class Cdn {
  readonly #options: CdnOptions

  constructor(options: CdnOptions) {
    this.#options = options
  }

  async purge(hosts: readonly string[] | 'everything'): Promise<PurgeAnswer> {
    const { fetch = globalThis.fetch, signal, url } = this.#options
    const answer = await fetch(url, {
      method: 'POST',
      ...requestOf(this.#options, hosts),
      redirect: 'error',
      signal: AbortSignal.any([signal, AbortSignal.timeout(answerMsMax)]),
    })
    await answer.body?.cancel().catch(() => undefined)
    const { ok, status } = answer
    if (ok) return { kind: 'done' }
    if (refusing.has(status)) return { kind: 'refused', status }
    const seconds = Number(answer.headers.get('retry-after') ?? 0)
    const waited = Math.min(Number.isFinite(seconds) ? seconds : 0, retryAfterSecondsMax)
    return { kind: 'failed', status, retryAfterMs: Math.max(0, waited) * 1000 }
  }
}

function requestOf(
  { kind, token }: Pick<CdnOptions, 'kind' | 'token'>,
  hosts: readonly string[] | 'everything',
): { readonly headers: Record<string, string>; readonly body?: string } {
  const authorization = token === null ? null : { authorization: `Bearer ${token}` }
  if (kind === 'keys') {
    const keys = hosts === 'everything' ? 'all' : hosts.join(' ')
    const ofFastly = token === null ? null : { 'fastly-key': token }
    return { headers: { 'surrogate-key': keys, ...authorization, ...ofFastly } }
  }
  const body = JSON.stringify(hosts === 'everything' ? { purge_everything: true } : { hosts })
  const type = { 'content-type': 'application/json' }
  if (kind === 'hosts') return { headers: { ...type, ...authorization }, body }
  const signature = createHmac('sha256', token ?? '')
    .update(body)
    .digest('hex')
  return { headers: { ...type, 'x-sitehost-signature': `sha256=${signature}` }, body }
}
