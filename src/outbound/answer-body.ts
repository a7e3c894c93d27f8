import { AnswerFields } from './answer-fields.ts'
import { FetchLimitError } from './fetch-limits.ts'
import { boundedJson, JsonLimitError, type JsonLimits, parseBoundedJson } from './json-scan.ts'
import { UnusableAnswerError } from './server-errors.ts'

/** What a server says about itself, one record or one blob fits many times. */
export const smallAnswer: JsonLimits = {
  bytesMax: 64 * 1024,
  valuesMax: 2_000,
  namesMax: 200,
}

/** The fields of an answer within its limits. Throws UnusableAnswerError. */
export async function fieldsOf(
  method: string,
  body: Uint8Array,
  limits: JsonLimits,
): Promise<AnswerFields> {
  return new AnswerFields(method, await usable(method, () => parseBoundedJson(body, limits)))
}

/** What `parse` results in; for JSON that is none or too much, it throws UnusableAnswerError. */
export async function usable<T>(method: string, parse: () => T | Promise<T>): Promise<T> {
  try {
    return await parse()
  } catch (cause) {
    const field = cause instanceof SyntaxError ? 'not JSON' : tooMuch(cause)
    throw field === null ? cause : new UnusableAnswerError(method, field, { cause })
  }
}

/** The answer of a server that refuses, as far as anybody needs it: its status and headers, and its words if they are few. */
export async function boundedRefusal(response: Response): Promise<Response> {
  try {
    return await boundedJson(response, smallAnswer)
  } catch (error) {
    if (tooMuch(error) === null) throw error
    const { status, headers } = response
    return new Response(null, { status, headers })
  }
}

/** What there is too much of; null for any other error. */
export function tooMuch(error: unknown): string | null {
  if (error instanceof JsonLimitError) return `too many ${error.limit}`
  return error instanceof FetchLimitError && error.limit === 'bytes' ? 'too many bytes' : null
}
