import { ownField } from '#site/own-fields.ts'
import { ServerRefusedError, ServerUnreachableError } from './account-repo.ts'
import { boundedJson } from './bounded-json.ts'
import type { SafeFetch } from './safe-fetch.ts'

export interface QueryContext {
  readonly fetch: SafeFetch
  readonly signal: AbortSignal
}

interface Query {
  /** Origin of the server that is asked. */
  readonly server: string
  /** Of the protocol, such as `com.atproto.sync.getRepoStatus`. */
  readonly method: string
  readonly parameters: Readonly<Record<string, string>>
  /** Of the answer. */
  readonly bytesMax: number
}

/**
 * Asks a server something that it tells anybody. The answer is JSON of whatever shape. Throws
 * ServerRefusedError, ServerUnreachableError, and the signal's reason.
 */
export async function publicQuery(query: Query, { fetch, signal }: QueryContext): Promise<unknown> {
  const { server, method, parameters, bytesMax } = query
  const url = new URL(`/xrpc/${method}`, server)
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  try {
    const limits = { responseBytesMax: bytesMax }
    const response = boundedJson(await fetch(url, { limits, signal }))
    const { status, headers } = response
    const data: unknown = await response.json().catch((error) => {
      // A gateway's error page says enough by its status.
      if (response.ok) throw error
      return null
    })
    if (response.ok) return data
    throw new ServerRefusedError(method, { status, headers, data: refusalOf(data) })
  } catch (cause) {
    signal.throwIfAborted()
    if (cause instanceof ServerRefusedError) throw cause
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
