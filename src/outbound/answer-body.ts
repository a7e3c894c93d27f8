import { ownField } from '#site/record/own-fields.ts'
import { AnswerFields } from './answer-fields.ts'
import { FetchLimitError } from './fetch-limits.ts'
import { boundedJson, JsonLimitError, type JsonLimits, parseBoundedJson } from './json-scan.ts'
import { ServerRefusedError, ServerUnreachableError, UnusableAnswerError } from './server-errors.ts'

/** Many times the size of an answer about a server, one record or one blob. */
export const smallAnswer: JsonLimits = {
  bytesMax: 64 * 1024,
  valuesMax: 2_000,
  namesMax: 200,
}

/** Parses an answer within limits. Throws UnusableAnswerError. */
export async function fieldsOf(
  method: string,
  body: Uint8Array,
  limits: JsonLimits,
): Promise<AnswerFields> {
  return new AnswerFields(method, await usable(method, () => parseBoundedJson(body, limits)))
}

/** The result of `parse`. Throws UnusableAnswerError if the JSON is invalid or over a limit. */
export async function usable<T>(method: string, parse: () => T | Promise<T>): Promise<T> {
  try {
    return await parse()
  } catch (cause) {
    const field = cause instanceof SyntaxError ? 'not JSON' : tooMuch(cause)
    throw field === null ? cause : new UnusableAnswerError(method, field, { cause })
  }
}

/** The body of a successful answer. Throws ServerRefusedError for any other. */
export async function bodyOf(method: string, response: Response): Promise<Uint8Array> {
  if (response.status === 200) return new Uint8Array(await response.arrayBuffer())
  const { status, headers } = response
  // A gateway's error page is not JSON; its status suffices.
  const body: unknown = await (await boundedRefusal(response)).json().catch(() => null)
  const [error, message] = [ownField(body, 'error'), ownField(body, 'message')]
  const data =
    typeof error === 'string'
      ? { error, ...(typeof message === 'string' && { message }) }
      : { error: 'UnknownXRPCError', message: `Request failed with status code ${status}` }
  throw new ServerRefusedError(method, { status, headers, data })
}

/** What callers get for an error of a request: a ServerRefusedError, UnusableAnswerError or ServerUnreachableError. */
export function serverErrorOf(method: string, cause: unknown): Error {
  if (cause instanceof ServerRefusedError) return cause
  const field = tooMuch(cause)
  if (field !== null) return new UnusableAnswerError(method, field, { cause })
  return new ServerUnreachableError(method, { cause })
}

/** An error response: status and headers, and the body if it is small. */
export async function boundedRefusal(response: Response): Promise<Response> {
  try {
    return await boundedJson(response, smallAnswer)
  } catch (error) {
    if (tooMuch(error) === null) throw error
    const { status, headers } = response
    return new Response(null, { status, headers })
  }
}

/** Which limit an error reports, such as `too many bytes`; null for any other error. */
function tooMuch(error: unknown): string | null {
  if (error instanceof JsonLimitError) return `too many ${error.limit}`
  return error instanceof FetchLimitError && error.limit === 'bytes' ? 'too many bytes' : null
}
