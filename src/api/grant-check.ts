import { SessionEndedError } from '#atproto/oauth.ts'
import { orAborted } from '#atproto/or-aborted.ts'
import { type BrowserSession, setUnconfirmedSince } from '#store/browser-sessions.ts'
import { DatabaseUnavailableError } from '#store/database-unavailable.ts'
import type { ApiContext } from './context.ts'
import { sentences } from './contract/messages.ts'
import { ApiError } from './errors.ts'

/** How long the account's server may take to say that it knows the sign-in. */
const answerMsMax = 4_000

const hourMs = 60 * 60 * 1000
/** An owner whose server is gone must not be kept here for ever: after so long they need not be confirmed. */
const awayMsMin = 72 * hourMs
/** What failed before that proves nothing of today. */
const awayMsMax = 7 * 24 * hourMs

type GrantContext = Pick<ApiContext, 'db' | 'log' | 'now' | 'oauth'>

/**
 * Lets pass whom the account's own server has confirmed within the last minute, for what destroys something or hands it
 * over: a stolen session ends when its owner has ended it there (docs/adr/0018). Throws SessionEndedError, and ApiError
 * 502 when that server cannot be asked; after 72 hours in which it never could be, nothing.
 */
export async function confirmGrant(session: BrowserSession, context: GrantContext): Promise<void> {
  const { db, log, oauth } = context
  const { did, idHash, unconfirmedSince } = session
  try {
    await orAborted(oauth.confirm(did), AbortSignal.timeout(answerMsMax))
    if (unconfirmedSince !== null) await setUnconfirmedSince(db, idHash, null)
  } catch (error) {
    if (error instanceof SessionEndedError || error instanceof DatabaseUnavailableError) throw error
    log.warn('grant not confirmed', { did, error })
    await allowAfterLongAbsence(session, context)
  }
}

async function allowAfterLongAbsence(session: BrowserSession, { db, log, now }: GrantContext) {
  const { did, idHash, unconfirmedSince } = session
  const isFirst = unconfirmedSince === null || now() - unconfirmedSince > awayMsMax
  const since = isFirst ? now() : unconfirmedSince
  if (isFirst) await setUnconfirmedSince(db, idHash, since)
  if (now() - since < awayMsMin) {
    throw new ApiError(502, sentences.grantUnconfirmed, { 'retry-after': '60' })
  }
  log.warn('grant taken as confirmed: the account’s server has been away', { did, since })
}
