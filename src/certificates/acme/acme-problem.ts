import { z } from 'zod'

const problemSchema = z.object({ type: z.string(), detail: z.string().default('') })
const detailCharsMax = 500

/** The authority refuses something, and says why (RFC 7807). */
export class AcmeProblemError extends Error {
  override readonly name = 'AcmeProblemError'
  /** Without `urn:ietf:params:acme:error:`, such as `rateLimited` or `caa`. */
  readonly type: string
  /** How long the authority wants to be left alone. */
  readonly retryAfterMs: number | null

  /** `detail`: the authority's words. */
  constructor(type: string, detail: string, retryAfterMs: number | null = null) {
    super(`${type}: ${detail}`)
    this.type = type
    this.retryAfterMs = retryAfterMs
  }
}

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
  return new AcmeProblemError(name, detail.slice(0, detailCharsMax), retryAfterMs)
}

function jsonOrNull(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
