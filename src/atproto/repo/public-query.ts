import { bodyOf, fieldsOf, serverErrorOf } from '#outbound/answer-body.ts'
import type { AnswerFields } from '#outbound/answer-fields.ts'
import type { JsonLimits } from '#outbound/json-scan.ts'
import type { SafeFetch } from '#outbound/safe-fetch.ts'
import { type XrpcParameters, xrpcPath } from './xrpc-path.ts'

export interface QueryContext {
  readonly fetch: SafeFetch
  readonly signal: AbortSignal
}

interface Query {
  readonly server: string
  /** An XRPC method, such as `com.atproto.sync.getRepoStatus`. */
  readonly method: string
  readonly parameters: XrpcParameters
}

/** A query without a session. Throws what `serverErrorOf` makes, and the signal's reason. */
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
  const url = new URL(xrpcPath(method, parameters), server)
  try {
    return await bodyOf(
      method,
      await fetch(url, { limits: { responseBytesMax: bytesMax }, signal }),
    )
  } catch (cause) {
    signal.throwIfAborted()
    throw serverErrorOf(method, cause)
  }
}
