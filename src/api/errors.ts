import type { Context } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { ServerRefusedError, ServerUnreachableError } from '#atproto/account-repo.ts'
import { IdentityError } from '#atproto/identity.ts'
import { SessionEndedError } from '#atproto/oauth.ts'
import { type BeginFailure, SignInError, type SignInFailure } from '#atproto/sign-in-error.ts'
import { BlobStorageError } from '#blobs/blob-store.ts'
import { SyncsBusyError } from '#ingest/account-syncs.ts'
import type { Log } from '#observe/log.ts'
import { SiteConflictError } from '#publish/commit-site.ts'
import { ServerBusyError } from '#publish/server-patience.ts'
import { SpoolFullError } from '#publish/spool.ts'
import { UploadRefusedError } from '#publish/upload-refusal.ts'
import { DatabaseUnavailableError } from '#store/database-unavailable.ts'

/** An answer that is not the asked-for one. `message` goes to the client as it is. */
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
 * The one place where errors become statuses. What nobody foresaw is logged under the id it answers.
 * `failure` are the other fields of a failure; a missing session is told the same way everywhere.
 */
export function answerError(log: Log, failure: { readonly success?: false } = {}) {
  return (error: unknown, c: Context): Response => {
    const known = apiErrorOf(error)
    if (known !== null) {
      const fields = known.status === 401 ? {} : failure
      return c.json({ ...fields, error: known.message }, known.status, { ...known.headers })
    }
    const id = crypto.randomUUID()
    log.error('unforeseen', { id, method: c.req.method, path: c.req.path, error })
    return c.json({ ...failure, error: 'Internal error', id }, 500)
  }
}

const spoolFull: Record<SpoolFullError['reason'], ApiError> = {
  busy: new ApiError(429, 'Too many uploads are under way. Try again in half a minute.', {
    'retry-after': '30',
  }),
  disk: new ApiError(507, 'This service has no room for uploads at the moment. Try again later.'),
}

function apiErrorOf(error: unknown): ApiError | null {
  if (error instanceof ApiError) return error
  if (error instanceof SpoolFullError) return spoolFull[error.reason]
  if (error instanceof UploadRefusedError) {
    return new ApiError(error.reason === 'too-large' ? 413 : 400, error.message)
  }
  if (error instanceof SessionEndedError) return new ApiError(401, 'Unauthorized')
  if (error instanceof SiteConflictError) {
    return new ApiError(409, 'This site was changed by another program meanwhile. Try again.')
  }
  if (error instanceof ServerUnreachableError || error instanceof IdentityError) {
    return new ApiError(502, unanswered)
  }
  if (error instanceof SyncsBusyError) {
    const sentence = 'Too many accounts are being read right now. Try again in a minute.'
    return new ApiError(429, sentence, { 'retry-after': '60' })
  }
  if (error instanceof ServerRefusedError) return new ApiError(502, refusalSentence(error))
  if (error instanceof ServerBusyError) {
    return new ApiError(
      429,
      'Your account’s server takes no more changes for now. Try again later.',
      {
        'retry-after': new Date(error.retryAt).toUTCString(),
      },
    )
  }
  if (
    error instanceof BlobStorageError ||
    error instanceof DatabaseUnavailableError ||
    isDiskFailure(error)
  ) {
    return new ApiError(503, 'Storage is unavailable. Try again in a moment.', {
      'retry-after': '5',
    })
  }
  return null
}

// Whether a change has been made is not said: the answer that would tell may be what was lost.
const unanswered = 'Your account’s server did not answer. Try again in a few minutes.'

const refusalSentence = ({ status, reason }: ServerRefusedError): string =>
  status >= 500
    ? 'Your account’s server has a fault at the moment. Try again in a few minutes.'
    : `Your account’s server refused: ${reason.slice(0, 200)}`

/** The spool could not be written: what Node calls a disk that is full, read-only or broken. */
const isDiskFailure = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  ['ENOSPC', 'EDQUOT', 'EROFS', 'EIO'].includes(String(error.code))

/** What a person is told when signing in could not begin: fixed sentences, nothing of the inside. */
export function signInSentence(error: unknown): string {
  return error instanceof SignInError && isOfBegin(error.failure)
    ? beginSentences[error.failure]
    : 'Something went wrong here. Try again in a minute.'
}

const beginSentences: Record<BeginFailure, string> = {
  'not-an-account-name':
    'That is not a handle, a DID or a server address. A handle looks like alice.example.com.',
  'unknown-handle': 'That handle does not exist. Check its spelling.',
  'unknown-account': 'That account does not exist.',
  'server-unreachable':
    'That server did not answer. Check the address, or try again in a few minutes.',
  'server-refused': 'That server refused to start a sign-in. Try again in a few minutes.',
}

const isOfBegin = (failure: SignInFailure): failure is BeginFailure => failure in beginSentences
