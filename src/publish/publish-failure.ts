import { IdentityError } from '#atproto/identity/identity.ts'
import { SessionEndedError } from '#atproto/oauth/session-ended.ts'
import { BlobStorageError } from '#blobs/blob-store.ts'
import { SemaphoreBusyError } from '#concurrency/semaphore.ts'
import { codeOf } from '#observe/code-of.ts'
import {
  ServerRefusedError,
  ServerUnreachableError,
  UnusableAnswerError,
} from '#outbound/server-errors.ts'
import { DatabaseUnavailableError } from '#store/database/database-unavailable.ts'
import { CommitUnknownError, SiteConflictError } from './commit-on-head.ts'
import { ContentsGoneError } from './contents/planned-file.ts'
import { NotPublishableError } from './not-publishable.ts'
import { BlobRefusedError } from './upload-blobs.ts'

/** For the owner of a failed job: what happened, and what to do. Null for a defect of ours, which belongs in the log. */
export function failureSentence(error: unknown): string | null {
  if (error instanceof NotPublishableError) return error.message
  // An earlier attempt may have committed.
  if (ownFaultOf(error) !== null) {
    return 'This service’s database, disk or network was not available for too long. Look at your site, and upload again if the new version is not there.'
  }
  if (error instanceof CommitUnknownError) {
    if (error.cause instanceof UnusableAnswerError) {
      return `${unusable(error.cause)}. The site may be published or not: look at it, and upload again if it is not.`
    }
    return commitUnknownSentence
  }
  if (error instanceof ContentsGoneError) {
    return `Your account no longer has the content of ${error.files[0]?.path}, which this deploy relied on. Nothing was published; send what is missing, then commit again.`
  }
  if (error instanceof SiteConflictError) {
    return 'This site was changed by another program meanwhile. Nothing of your upload was published; upload again to replace it.'
  }
  if (error instanceof SessionEndedError) {
    return 'Your sign-in has ended. Sign in again, then upload once more; nothing was published.'
  }
  if (error instanceof ServerUnreachableError || error instanceof IdentityError) {
    return 'Your account’s server did not answer. Nothing was published; try again in a few minutes.'
  }
  if (error instanceof ServerRefusedError) return refusalSentence(error)
  if (error instanceof UnusableAnswerError) {
    return `${unusable(error)}. Nothing was published; try again later, or tell whoever runs that server.`
  }
  if (error instanceof BlobRefusedError) {
    return `Your account’s server did not store ${error.path} as it was sent. Nothing was published; try again.`
  }
  return null
}

export const cancelledSentence = 'The upload was cancelled. Nothing was published.'
export const interruptedSentence = 'The upload was interrupted. Nothing was published; try again.'
export const commitUnknownSentence =
  'Your account’s server broke off while the site was being written: it may be published or not. Look at your site, and upload again if it is not.'

/** For a job whose instance is gone, with its files. */
export const abandonedSentence = ({ startedAt }: { readonly startedAt: number | null }): string =>
  startedAt === null
    ? 'The machine that had your upload is gone. Nothing was published; publish again.'
    : 'The machine that had your upload is gone: the site may be published or not. Look at it, and publish again if it is not.'

/** For a rate limit that outlasts the job's time limit. */
export const busySentence = (retryAt: number): string =>
  `Your account’s server takes no more uploads until ${new Date(retryAt).toUTCString()}. ` +
  'What was sent so far is kept: upload again after that time, and only the rest is sent. ' +
  'Nothing was published yet.'

const unusable = ({ method, field }: UnusableAnswerError): string =>
  `Your account’s server gave an answer that Sitehost cannot use (${method}: ${field})`

function refusalSentence({ status, reason }: ServerRefusedError): string {
  if (status === 413) {
    return 'Your account’s server refuses a file of this site as too large. Make large files smaller or leave them out; nothing was published.'
  }
  if (status === 429) {
    return 'Your account’s server takes no more uploads for now. Nothing was published; try again later.'
  }
  if (status >= 500) {
    return 'Your account’s server has a fault at the moment. Nothing was published; try again in a few minutes.'
  }
  return `Your account’s server refused the site: ${reason.slice(0, 200)}. Nothing was published.`
}

/** A part of this service that is unavailable for a while, so that no job can continue. */
export type OwnFault = 'database' | 'storage' | 'requests'

const causesMax = 10

/** Null for other errors. Causes count: a call to the account's server fails, too, when its tokens cannot be read here. */
export function ownFaultOf(error: unknown): OwnFault | null {
  let cause = error
  for (let n = 0; n < causesMax && cause instanceof Error; n++, cause = cause.cause) {
    if (cause instanceof DatabaseUnavailableError) return 'database'
    if (cause instanceof SemaphoreBusyError) return 'requests'
    if (cause instanceof BlobStorageError || diskCodes.has(codeOf(cause) ?? '')) return 'storage'
  }
  return null
}

/** The spool cannot be used: the disk is full, read-only or broken, or too many files are open. */
const diskCodes = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EIO', 'EMFILE', 'ENFILE'])

/** For the owner, while the job waits. */
export const waitingSentences: Readonly<Record<OwnFault, string>> = {
  database:
    'This service’s database is not available at the moment. Your upload is kept, and continues automatically.',
  storage:
    'This service cannot store files at the moment. Your upload is kept, and continues automatically.',
  requests:
    'This service has too many requests to other servers in progress. Your upload is kept, and continues automatically.',
}
