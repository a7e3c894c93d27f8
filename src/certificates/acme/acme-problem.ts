import { z } from 'zod'
import type { CertificateProblem } from '#site/certificate-state.ts'

const problemSchema = z.object({ type: z.string(), detail: z.string().default('') })
const detailCharsMax = 500

/** The authority refuses something, and says why (RFC 7807). */
export class AcmeProblemError extends Error {
  override readonly name = 'AcmeProblemError'
  /** Without `urn:ietf:params:acme:error:`, such as `rateLimited` or `caa`. */
  readonly type: string
  /** The authority's words, without characters that nobody sees. */
  readonly detail: string
  /** How long the authority wants to be left alone. */
  readonly retryAfterMs: number | null

  constructor(type: string, words: string, retryAfterMs: number | null = null) {
    const detail = words.replace(unseen, ' ').trim().slice(0, detailCharsMax)
    super(`${type}: ${detail}`)
    this.type = type
    this.detail = detail
    this.retryAfterMs = retryAfterMs
  }
}

/** Also what shows a sentence in another order than it is written. */
const unseen = /[\p{C}\p{Z}]+/gu

/** RFC 8555 §6.7; all others are for the operator to read. */
const kinds: ReadonlyMap<string, CertificateProblem> = new Map([
  ['accountDoesNotExist', 'account'],
  ['badPublicKey', 'account'],
  ['caa', 'caa'],
  ['connection', 'connection'],
  ['dns', 'dns'],
  ['externalAccountRequired', 'account'],
  ['incorrectResponse', 'wrong-answer'],
  ['invalidContact', 'account'],
  ['rateLimited', 'rate-limit'],
  ['rejectedIdentifier', 'rejected-name'],
  ['serverInternal', 'away'],
  ['tls', 'connection'],
  ['unauthorized', 'wrong-answer'],
  ['unsupportedContact', 'account'],
  ['unsupportedIdentifier', 'rejected-name'],
  ['userActionRequired', 'account'],
])

/** `type` as `AcmeProblemError` has it. */
export const problemKind = (type: string): CertificateProblem =>
  kinds.get(type) ?? (/^status 5/.test(type) ? 'away' : 'other')

/** `text`: the body of an answer with this status. */
export function acmeProblem(
  text: string,
  status: number,
  retryAfterMs: number | null,
): AcmeProblemError {
  return (
    problemIn(jsonOrNull(text), retryAfterMs) ??
    new AcmeProblemError(`status ${status}`, '', retryAfterMs)
  )
}

/** Null: no problem document. */
export function problemIn(
  document: unknown,
  retryAfterMs: number | null = null,
): AcmeProblemError | null {
  const parsed = problemSchema.safeParse(document)
  if (!parsed.success) return null
  const { detail, type } = parsed.data
  const name = type.replace('urn:ietf:params:acme:error:', '')
  return new AcmeProblemError(name, detail, retryAfterMs)
}

function jsonOrNull(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
