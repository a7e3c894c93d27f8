import type { AccountSession } from '#atproto/oauth/account-sessions.ts'
import { SessionEndedError } from '#atproto/oauth/session-ended.ts'
import { orAborted } from '#concurrency/or-aborted.ts'
import { bodyOf, fieldsOf, serverErrorOf, smallAnswer } from '#outbound/answer-body.ts'
import type { AnswerFields } from '#outbound/answer-fields.ts'
import type { JsonLimits } from '#outbound/json-scan.ts'
import { ServerRefusedError } from '#outbound/server-errors.ts'
import type { Did } from '#site/site-address.ts'
import { type XrpcParameters, xrpcPath } from './xrpc-path.ts'

/** A query, unless it has another `method`. */
export type XrpcRequest = RequestInit & { readonly parameters?: XrpcParameters }

export const posting = (input: object): XrpcRequest => ({
  method: 'POST',
  body: JSON.stringify(input),
  headers: { 'content-type': 'application/json' },
})

/**
 * Calls to an account's server, through the owner's session. Each throws SessionEndedError, ServerRefusedError,
 * UnusableAnswerError or ServerUnreachableError (immediately when `signal` is aborted).
 */
export class AccountCalls {
  readonly #did: Did
  readonly #openSession: (did: Did) => Promise<AccountSession>
  readonly #signal: AbortSignal | undefined

  constructor(
    did: Did,
    openSession: (did: Did) => Promise<AccountSession>,
    signal: AbortSignal | undefined,
  ) {
    this.#did = did
    this.#openSession = openSession
    this.#signal = signal
  }

  async fields(
    method: string,
    request: XrpcRequest,
    limits: JsonLimits = smallAnswer,
  ): Promise<AnswerFields> {
    return await fieldsOf(method, await this.body(method, request, limits.bytesMax), limits)
  }

  async body(method: string, request: XrpcRequest, bytesMax: number): Promise<Uint8Array> {
    try {
      // An abort leaves the request running: it may be a token renewal, which must finish.
      return await orAborted(this.#send(method, request, bytesMax), this.#signal)
    } catch (cause) {
      if (isSessionEnd(cause)) throw new SessionEndedError(this.#did, { cause })
      throw serverErrorOf(method, cause)
    }
  }

  async #send(
    method: string,
    { parameters, signal, ...init }: XrpcRequest,
    responseBytesMax: number,
  ): Promise<Uint8Array> {
    this.#signal?.throwIfAborted()
    // Opened for each request: a sign-in in between brings new tokens, bound to another key.
    const session = await this.#openSession(this.#did)
    const signals = [signal, this.#signal].filter((signal) => signal != null)
    const response = await session.handle(xrpcPath(method, parameters), {
      ...init,
      limits: { responseBytesMax },
      signal: AbortSignal.any(signals),
    })
    return await bodyOf(method, response)
  }
}

const isSessionEnd = (error: unknown): boolean =>
  error instanceof SessionEndedError ||
  (error instanceof ServerRefusedError && error.status === 401) ||
  (error instanceof Error &&
    ['TokenRefreshError', 'TokenInvalidError', 'TokenRevokedError'].includes(error.name))
