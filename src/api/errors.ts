import type { Context } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { ServerRefusedError, ServerUnreachableError } from '#atproto/account-repo.ts'
import { SessionEndedError } from '#atproto/oauth.ts'
import { SignInError, type SignInFailure } from '#atproto/sign-in-error.ts'
import { BlobStorageError } from '#blobs/blob-store.ts'
import type { Log } from '#observe/log.ts'
import { failureSentence } from '#publish/publish-failure.ts'
import { UploadRefusedError } from '#publish/receive-upload.ts'
import { SpoolFullError } from '#publish/spool.ts'
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

/** The one place where errors become statuses. What nobody foresaw is logged under the id it answers. */
export function answerError(log: Log) {
  return (error: unknown, c: Context): Response => {
    const known = apiErrorOf(error)
    if (known !== null) return c.json({ error: known.message }, known.status, { ...known.headers })
    const id = crypto.randomUUID()
    log.error('unforeseen', { id, method: c.req.method, path: c.req.path, error })
    return c.json({ error: 'Internal error', id }, 500)
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
  if (error instanceof ServerRefusedError || error instanceof ServerUnreachableError) {
    return new ApiError(502, failureSentence(error) ?? 'The account server did not answer.')
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

/** The spool could not be written: what Node calls a disk that is full, read-only or broken. */
const isDiskFailure = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  ['ENOSPC', 'EDQUOT', 'EROFS', 'EIO'].includes(String(error.code))

/** What a person is told when signing in failed: fixed sentences, nothing of the inside. */
export function signInSentence(error: unknown): string {
  return error instanceof SignInError
    ? signInSentences[error.failure]
    : 'Something went wrong here. Try again in a minute.'
}

const signInSentences: Record<SignInFailure, string> = {
  'not-an-account-name':
    'That is not a handle, a DID or a server address. A handle looks like alice.example.com.',
  'unknown-handle': 'That handle does not exist. Check its spelling.',
  'unknown-account': 'That account does not exist.',
  'server-unreachable':
    'That server did not answer. Check the address, or try again in a few minutes.',
  'server-refused': 'That server refused to start a sign-in. Try again in a few minutes.',
  denied: 'You pressed “Deny access”. Nothing was changed.',
  'scopes-missing':
    'Your server did not grant everything that publishing needs. Sign in again and allow all of it.',
  'other-browser': 'That sign-in was started in another browser. Start again here.',
  expired: 'That sign-in has expired. Start again.',
}
