import { IdentityError } from '#atproto/identity/identity.ts'
import { SessionEndedError } from '#atproto/oauth/session-ended.ts'
import {
  ServerRefusedError,
  ServerUnreachableError,
  UnusableAnswerError,
} from '#outbound/server-errors.ts'
import { CommitUnknownError, SiteConflictError } from '#publish/commit-on-head.ts'
import { NotPublishableError } from '#publish/not-publishable.ts'
import { failureSentence } from '#publish/publish-failure.ts'
import { CommandError } from './command-error.ts'

/** What a command was doing when a server failed it. */
export interface Undertaking {
  readonly doing: 'publishing' | 'changing' | 'reading'
  /** How its user calls the server. */
  readonly server?: string
}

/** Work at an account's server, whose failures become sentences for the person. Throws CommandError, and defects as they are. */
export async function explained<T>(
  signal: AbortSignal,
  { doing, server = 'Your account’s server' }: Undertaking,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    signal.throwIfAborted()
    const sentence =
      doing === 'publishing'
        ? failureSentence(error)
        : sentenceOf(error, server, doing === 'changing' ? ' Nothing was changed.' : '')
    throw sentence === null ? error : new CommandError(sentence, { cause: error })
  }
}

/** Of a command that publishes nothing. Null for a defect. */
function sentenceOf(error: unknown, server: string, outcome: string): string | null {
  if (error instanceof NotPublishableError) return error.message
  if (error instanceof CommitUnknownError) {
    return `${server} broke off while it was writing: the change may be made or not. Look, and repeat the command if it is not.`
  }
  if (error instanceof SiteConflictError) {
    return `Another program changed the site meanwhile.${outcome} Look at it, then repeat the command.`
  }
  if (error instanceof SessionEndedError) {
    return `Your sign-in has ended.${outcome} Sign in again with: sitehost login`
  }
  if (error instanceof ServerUnreachableError || error instanceof IdentityError) {
    return `${server} did not answer.${outcome} Try again in a few minutes.`
  }
  if (error instanceof UnusableAnswerError) {
    return `${server} gave an answer that cannot be used (${error.method}: ${error.field}).${outcome} Try again later, or tell whoever runs it.`
  }
  if (!(error instanceof ServerRefusedError)) return null
  if (error.status === 429)
    return `${server} takes no more requests for now.${outcome} Try again later.`
  if (error.status >= 500) {
    return `${server} has a fault at the moment.${outcome} Try again in a few minutes.`
  }
  return `${server} refused this: ${error.reason.slice(0, reasonCharsMax)}.${outcome}`
}

const reasonCharsMax = 200
