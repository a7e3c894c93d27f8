import { ActorResolutionError, HandleResolutionError } from '@atcute/identity-resolver'
import { OAuthCallbackError, OAuthResolverError } from '@atcute/oauth-node-client'
import { SemaphoreBusyError } from '#concurrency/semaphore.ts'
import { codeOf } from '#observe/code-of.ts'
import { FetchLimitError } from '#outbound/safe-fetch.ts'

/** Why a sign-in could not begin, as far as the user can act on it. */
export type BeginFailure =
  | 'not-an-account-name'
  | 'unknown-handle'
  | 'unknown-account'
  | 'server-unreachable'
  | 'server-refused'
  /** Too many of our requests to that server wait. */
  | 'server-busy'

/** Further reasons why a sign-in was not completed. */
type CompleteFailure =
  | 'denied'
  | 'other-account'
  | 'not-allowed'
  | 'scopes-missing'
  | 'other-browser'
  | 'expired'

export type SignInFailure = BeginFailure | CompleteFailure

export class SignInError extends Error {
  override readonly name = 'SignInError'
  readonly failure: SignInFailure

  constructor(failure: SignInFailure, options?: ErrorOptions) {
    super(`sign-in failed; failure=${failure}`, options)
    this.failure = failure
  }
}

/** Maps the OAuth library's errors to the few that a user can act on. */
export function signInErrorOf(error: unknown): SignInError {
  return error instanceof SignInError ? error : new SignInError(failureOf(error), { cause: error })
}

function failureOf(error: unknown): SignInFailure {
  if (isOfSemaphore(error)) return 'server-busy'
  if (error instanceof OAuthCallbackError) return failureOfCallback(error)
  if (error instanceof OAuthResolverError) return failureOfResolver(error)
  if (error instanceof ActorResolutionError) return failureOfActor(error)
  return isNetworkFailure(error) ? 'server-unreachable' : 'server-refused'
}

function failureOfCallback({ error, errorDescription }: OAuthCallbackError): SignInFailure {
  if (error === 'access_denied') return 'denied'
  // The library’s only sign that tokens were granted for another account than the one that was named; it has revoked them.
  return errorDescription === 'sub mismatch' ? 'other-account' : 'expired'
}

const failureOfResolver = (error: OAuthResolverError): SignInFailure =>
  error.cause instanceof ActorResolutionError ? failureOfActor(error.cause) : 'server-unreachable'

function failureOfActor(error: ActorResolutionError): SignInFailure {
  if (error.cause instanceof HandleResolutionError) {
    return isNetworkFailure(error.cause.cause) ? 'server-unreachable' : 'unknown-handle'
  }
  return isNetworkFailure(rootOf(error)) ? 'server-unreachable' : 'unknown-account'
}

// Bun throws connection failures as errors with a code such as ConnectionRefused or ECONNRESET.
const isNetworkFailure = (error: unknown): boolean =>
  error instanceof FetchLimitError || codeOf(error) !== undefined

const isOfSemaphore = (error: unknown): boolean =>
  error instanceof Error && rootOf(error) instanceof SemaphoreBusyError

function rootOf(error: Error): Error {
  return error.cause instanceof Error ? rootOf(error.cause) : error
}
