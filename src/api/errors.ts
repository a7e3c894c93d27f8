import type { Context } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { literals, sentences } from '#api/contract/messages.ts'
import { IdentityError } from '#atproto/identity/identity.ts'
import { SessionEndedError } from '#atproto/oauth/oauth.ts'
import { type BeginFailure, SignInError, type SignInFailure } from '#atproto/oauth/sign-in-error.ts'
import { BlobStorageError } from '#blobs/blob-store.ts'
import { notBegun } from '#http/not-begun.ts'
import { SyncsBusyError, SyncsEndedError } from '#ingest/account-syncs.ts'
import { codeOf } from '#observe/code-of.ts'
import type { Log } from '#observe/log.ts'
import { rateLimitedLog } from '#observe/rate-limited-log.ts'
import { currentTrace, newTrace } from '#observe/trace.ts'
import {
  ServerRefusedError,
  ServerUnreachableError,
  UnusableAnswerError,
} from '#outbound/server-errors.ts'
import { RecordsConflictError } from '#publish/account-deletions.ts'
import { CommitUnknownError, SiteConflictError } from '#publish/commit-on-head.ts'
import { ownFaultOf } from '#publish/publish-failure.ts'
import { ServerBusyError } from '#publish/server-patience.ts'
import { SpoolFullError } from '#publish/upload/spool.ts'
import { UploadTooSlowError } from '#publish/upload/upload-arrival.ts'
import { UploadRefusedError } from '#site/upload/upload-refusal.ts'
import { AccountDeletedHereError } from '#store/accounts/deleted-here.ts'
import { DatabaseUnavailableError } from '#store/database/database-unavailable.ts'
import type { ApiEnv } from './context.ts'

/** A failure with its status. `message` is sent to the client. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly status: ContentfulStatusCode
  readonly headers: Readonly<Record<string, string>>

  constructor(
    status: ContentfulStatusCode,
    message: string,
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(message)
    this.status = status
    this.headers = headers
  }
}

/**
 * The one place where errors become statuses. Logs unexpected errors under the id in the answer, which is that of the request. A missing session
 * (401) has the same answer on every route, whatever the route's `failureShape`.
 */
export function answerError(log: Log) {
  const limited = rateLimitedLog(log)
  return (error: unknown, c: Context<ApiEnv>): Response => {
    const failure = c.get('failureFields') ?? {}
    const page = c.get('failurePage')
    const known = apiErrorOf(error)
    if (known !== null) {
      if (known.status === 503) limited.warn('service unavailable', { path: c.req.path, error })
      const { headers, message, status } = known
      if (page !== undefined) return c.html(page(status, message), status, { ...headers })
      const fields = known.status === 401 ? {} : failure
      return c.json({ ...fields, error: message }, status, { ...headers })
    }
    const id = currentTrace()?.id ?? newTrace().id
    log.error('unhandled error', { id, method: c.req.method, path: c.req.path, error })
    if (page !== undefined) return c.html(page(500, `${sentences.signInBroken} (${id})`), 500)
    return c.json({ ...failure, error: literals.internalError, id }, 500)
  }
}

/** For a request that has not begun. */
export const restarting = (): ApiError =>
  new ApiError(503, sentences.restarting, { ...interrupted().headers, ...notBegun })

/** For one that was stopped midway. */
export const interrupted = (): ApiError =>
  new ApiError(503, sentences.restarting, { 'retry-after': '10' })

const spoolFull: Record<SpoolFullError['reason'], () => ApiError> = {
  busy: () => new ApiError(429, sentences.uploadsBusy, { 'retry-after': '30' }),
  disk: () => new ApiError(507, sentences.noRoom),
}

const tooSlow: Record<UploadTooSlowError['reason'], () => ApiError> = {
  'below-minimum': () => new ApiError(408, sentences.uploadTooSlow),
  'too-long': () => new ApiError(408, sentences.uploadTooLong),
  'gave-way': () => new ApiError(429, sentences.uploadGaveWay, { 'retry-after': '60' }),
}

/** What a client gets for an expected failure; null for a defect. */
export function apiErrorOf(error: unknown): ApiError | null {
  if (error instanceof ApiError) return error
  if (error instanceof SpoolFullError) return spoolFull[error.reason]()
  if (error instanceof UploadTooSlowError) return tooSlow[error.reason]()
  if (error instanceof UploadRefusedError) {
    return new ApiError(error.reason === 'too-large' ? 413 : 400, error.message)
  }
  if (error instanceof SessionEndedError || error instanceof AccountDeletedHereError) {
    return new ApiError(401, literals.unauthorized)
  }
  if (error instanceof RecordsConflictError) return new ApiError(409, sentences.recordsChanged)
  if (error instanceof SiteConflictError) return new ApiError(409, sentences.changedMeanwhile)
  if (ownFaultOf(error) === 'requests') {
    return new ApiError(503, sentences.requestsBusy, { 'retry-after': '5' })
  }
  if (error instanceof ServerUnreachableError || error instanceof IdentityError) {
    return new ApiError(502, sentences.serverUnanswered)
  }
  if (error instanceof SyncsBusyError) {
    return new ApiError(429, sentences.syncsBusy, { 'retry-after': '60' })
  }
  if (error instanceof SyncsEndedError) return interrupted()
  if (error instanceof ServerRefusedError) return new ApiError(502, refusalSentence(error))
  if (error instanceof UnusableAnswerError) return new ApiError(502, unusableSentence(error))
  if (error instanceof CommitUnknownError) {
    // The server broke off during the commit, or gave an unusable answer.
    return apiErrorOf(error.cause) ?? new ApiError(502, sentences.serverUnanswered)
  }
  if (error instanceof ServerBusyError) {
    return new ApiError(429, sentences.serverBusy, {
      'retry-after': new Date(error.retryAt).toUTCString(),
    })
  }
  if (
    error instanceof BlobStorageError ||
    error instanceof DatabaseUnavailableError ||
    isDiskFailure(error)
  ) {
    return new ApiError(503, sentences.storageAway, { 'retry-after': '5' })
  }
  return null
}

const unusableSentence = ({ method, field }: UnusableAnswerError): string =>
  `Your account’s server gave an answer that Sitehost cannot use (${method}: ${field}). Try again later, or tell whoever runs that server.`

const refusalSentence = ({ status, reason }: ServerRefusedError): string =>
  status >= 500 ? sentences.serverFault : `Your account’s server refused: ${reason.slice(0, 200)}`

/** The spool could not be written: the disk is full, read-only or broken, or too many files and connections are open. */
const isDiskFailure = (error: unknown): boolean =>
  ['ENOSPC', 'EDQUOT', 'EROFS', 'EIO', 'EMFILE', 'ENFILE'].includes(codeOf(error) ?? '')

/** The message when a sign-in cannot begin: fixed sentences without internal details. */
export const signInSentence = (error: unknown): string =>
  (error instanceof SignInError && beginSentences[error.failure]) || sentences.signInBroken

const beginSentences: Partial<Record<SignInFailure, string>> = {
  'not-an-account-name': sentences.notAnAccountName,
  'unknown-handle': sentences.unknownHandle,
  'unknown-account': sentences.unknownAccount,
  'server-unreachable': sentences.signInUnreachable,
  'server-refused': sentences.signInRefused,
  'server-busy': sentences.signInServerBusy,
} satisfies Record<BeginFailure, string>
