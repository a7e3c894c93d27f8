import type { Head } from './representation.ts'

/**
 * An answer whose body, if any, is in memory. It may be sent from `head` and `body`, which belong together: later changes to
 * `response.headers` are lost.
 */
export interface InMemoryAnswer {
  readonly response: Response
  readonly head: Head
  readonly body: Blob | null
}

/** A request that learns of an answer from memory how it is made. */
export abstract class InMemoryRequest extends Request {
  inMemory: InMemoryAnswer | null = null
}

/** The answer, of which the request learns if it is such a one. */
export function respondFromMemory(request: Request, head: Head, body: Blob | null): Response {
  const response = new Response(body, head)
  if (request instanceof InMemoryRequest) request.inMemory = { response, head, body }
  return response
}
