/** The account's server answered with an error. */
export class ServerRefusedError extends Error {
  override readonly name = 'ServerRefusedError'
  readonly method: string
  readonly status: number
  /** The server's XRPC error name, e.g. `InvalidSwap`. */
  readonly code: string
  readonly reason: string
  /** When the limit of a 429 ends, in milliseconds since the epoch; null: not stated. */
  readonly retryAt: number | null

  constructor(method: string, { status, headers, data }: Refusal) {
    const code = data.error.slice(0, codeCharsMax)
    super(`server refused; method=${method} status=${status} error=${code}`)
    this.method = method
    this.status = status
    this.code = code
    this.reason = (data.message ?? data.error).slice(0, reasonCharsMax)
    this.retryAt = status === 429 ? retryAtOf(headers ?? new Headers()) : null
  }
}

interface Refusal {
  readonly status: number
  readonly headers?: Headers
  readonly data: { readonly error: string; readonly message?: string }
}

const codeCharsMax = 128
const reasonCharsMax = 1000

/** Caps `retryAt`: the longest rate limit of the reference server is one day. */
const retryMsMax = 24 * 60 * 60 * 1000

// atproto servers send `ratelimit-reset` in seconds since the epoch; RFC 9110 §10.2.3 defines `retry-after`.
function retryAtOf(headers: Headers): number | null {
  const latest = Date.now() + retryMsMax
  const resetSeconds = Number(headers.get('ratelimit-reset') || Number.NaN)
  if (Number.isFinite(resetSeconds)) return Math.min(resetSeconds * 1000, latest)
  const retryAfter = headers.get('retry-after') ?? ''
  const seconds = Number(retryAfter || Number.NaN)
  const at = Number.isFinite(seconds) ? Date.now() + seconds * 1000 : Date.parse(retryAfter)
  return Number.isFinite(at) ? Math.min(at, latest) : null
}

/** The account's server did not answer. */
export class ServerUnreachableError extends Error {
  override readonly name = 'ServerUnreachableError'

  constructor(method: string, options?: ErrorOptions) {
    super(`server unreachable; method=${method}`, options)
  }
}

/** The account's server reported success with an answer that the lexicon does not allow. */
export class UnusableAnswerError extends Error {
  override readonly name = 'UnusableAnswerError'
  readonly method: string
  /** The invalid field, such as `records.3.cid`, or `not JSON`. Never contains text from the server. */
  readonly field: string

  constructor(method: string, field: string, options?: ErrorOptions) {
    super(`unusable answer; method=${method} field=${field}`, options)
    this.method = method
    this.field = field
  }
}
