import { boundedRefusal, fieldsOf, tooMuch } from '#outbound/answer-body.ts'
import type { AnswerFields } from '#outbound/answer-fields.ts'
import type { JsonLimits } from '#outbound/json-scan.ts'
import type { SafeFetch } from '#outbound/safe-fetch.ts'
import {
  ServerRefusedError,
  ServerUnreachableError,
  UnusableAnswerError,
} from '#outbound/server-errors.ts'
import { ownField } from '#site/record/own-fields.ts'

export interface QueryContext {
  readonly fetch: SafeFetch
  readonly signal: AbortSignal
}

interface Query {
  /** The server's origin. */
  readonly server: string
  /** An XRPC method, such as `com.atproto.sync.getRepoStatus`. */
  readonly method: string
  readonly parameters: Readonly<Record<string, string>>
}

/**
 * Sends an unauthenticated XRPC query. Throws ServerRefusedError, UnusableAnswerError, ServerUnreachableError, and
 * the signal's reason.
 */
export async function publicQuery(
  query: Query,
  limits: JsonLimits,
  context: QueryContext,
): Promise<AnswerFields> {
  const body = await publicAnswer({ ...query, bytesMax: limits.bytesMax }, context)
  return await fieldsOf(query.method, body, limits)
}

/** As `publicQuery`, but returns the raw body. */
export async function publicAnswer(
  { server, method, parameters, bytesMax }: Query & { readonly bytesMax: number },
  { fetch, signal }: QueryContext,
): Promise<Uint8Array> {
  const url = new URL(`/xrpc/${method}`, server)
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  try {
    const response = await fetch(url, { limits: { responseBytesMax: bytesMax }, signal })
    if (response.ok) return new Uint8Array(await response.arrayBuffer())
    const { status, headers } = response
    // A gateway's error page is not JSON; its status suffices.
    const data: unknown = await (await boundedRefusal(response)).json().catch(() => null)
    throw new ServerRefusedError(method, { status, headers, data: refusalOf(data) })
  } catch (cause) {
    signal.throwIfAborted()
    if (cause instanceof ServerRefusedError) throw cause
    const field = tooMuch(cause)
    if (field !== null) throw new UnusableAnswerError(method, field, { cause })
    throw new ServerUnreachableError(method, { cause })
  }
}

function refusalOf(data: unknown): { error: string; message?: string } {
  const [error, message] = [ownField(data, 'error'), ownField(data, 'message')]
  return {
    error: typeof error === 'string' ? error : 'Unknown',
    ...(typeof message === 'string' && { message }),
  }
}
