import { IdentityError } from '#atproto/identity/identity.ts'
import { ServerUnreachableError } from '#outbound/server-errors.ts'
import { CommitUnknownError, isUnanswered } from './commit-on-head.ts'

const minuteMs = 60_000

/** A server that writes a large commit may be busy with it for minutes, and then answers nothing else either. */
const unansweredMsMax = 30 * minuteMs
/** A server that answers with faults is not busy: it will hardly accept the commit later. */
const faultyMsMax = 2 * minuteMs

/**
 * For an error of an attempt after its job began to write: how long after that moment the job tries to find out what
 * became of its commit. Null: the error is conclusive.
 */
export function confirmMsMaxOf(error: unknown): number | null {
  const cause = error instanceof CommitUnknownError ? error.cause : error
  if (cause instanceof ServerUnreachableError || cause instanceof IdentityError) {
    return unansweredMsMax
  }
  return isUnanswered(cause) ? faultyMsMax : null
}

/** For the owner, while the job waits. */
export const unconfirmedSentence =
  'Your account’s server has not confirmed that the site was written. Sitehost looks whether it was, and continues automatically.'
