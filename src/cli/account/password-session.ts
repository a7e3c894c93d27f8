import type { Identity } from '#atproto/identity/identity.ts'
import type { AccountSession, SessionRequest } from '#atproto/oauth/account-sessions.ts'
import { SessionEndedError } from '#atproto/oauth/session-ended.ts'
import { SingleFlight } from '#concurrency/single-flight.ts'
import { bodyOf, fieldsOf, serverErrorOf, smallAnswer } from '#outbound/answer-body.ts'
import type { SafeFetch } from '#outbound/safe-fetch.ts'

interface SessionContext {
  readonly fetch: SafeFetch
  readonly signal: AbortSignal
}

interface Tokens {
  readonly access: string
  readonly refresh: string
}

const tokenCharsMax = 8_192

/**
 * Signs in with an app password at the account's server. Tokens are kept in memory only, and renewed once they have
 * expired. Throws ServerRefusedError (401 for a wrong password), UnusableAnswerError and ServerUnreachableError.
 */
export async function openPasswordSession(
  { did, pds }: Pick<Identity, 'did' | 'pds'>,
  password: string,
  { fetch, signal }: SessionContext,
): Promise<AccountSession> {
  const ask = async (method: string, init: SessionRequest): Promise<Tokens> => {
    const limits = { responseBytesMax: smallAnswer.bytesMax }
    try {
      const request = { method: 'POST', signal, limits, ...init }
      const body = await bodyOf(method, await fetch(new URL(`/xrpc/${method}`, pds), request))
      const answer = await fieldsOf(method, body, smallAnswer)
      return {
        access: answer.string('accessJwt', tokenCharsMax),
        refresh: answer.string('refreshJwt', tokenCharsMax),
      }
    } catch (cause) {
      signal.throwIfAborted()
      throw serverErrorOf(method, cause)
    }
  }
  let tokens = await ask('com.atproto.server.createSession', {
    body: JSON.stringify({ identifier: did, password }),
    headers: { 'content-type': 'application/json' },
  })
  const renewals = new SingleFlight<string, Tokens>()
  const renew = async (expired: Tokens): Promise<void> => {
    if (tokens !== expired) return
    tokens = await renewals.run(expired.refresh, () =>
      ask('com.atproto.server.refreshSession', { headers: bearer(expired.refresh) }),
    )
  }
  return {
    did,
    async handle(path, init = {}) {
      const used = tokens
      const send = ({ access }: Tokens) =>
        fetch(new URL(path, pds), { ...init, headers: { ...init.headers, ...bearer(access) } })
      const response = await send(used)
      if (!(await isExpired(response))) return response
      await response.body?.cancel()
      await renew(used).catch((cause) => {
        throw new SessionEndedError(did, { cause })
      })
      return await send(tokens)
    },
  }
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

/** The reference server answers 400 to a token that has expired, others 401. */
async function isExpired(response: Response): Promise<boolean> {
  if (response.status === 401) return true
  if (response.status !== 400) return false
  const body: unknown = await response
    .clone()
    .json()
    .catch(() => null)
  return (body as { error?: unknown } | null)?.error === 'ExpiredToken'
}
