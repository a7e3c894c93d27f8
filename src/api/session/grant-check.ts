import type { ApiContext } from '#api/context.ts'
import { grantAwayMsMin, hourMs } from '#api/contract/limits.ts'
import { sentences } from '#api/contract/messages.ts'
import { ApiError } from '#api/errors.ts'
import { SessionEndedError } from '#atproto/oauth/oauth.ts'
import { mapAtOnce } from '#concurrency/map-at-once.ts'
import { orAborted } from '#concurrency/or-aborted.ts'
import type { Did } from '#site/site-address.ts'
import {
  forgetGrantFailures,
  type GrantFailures,
  listGrantFailures,
  recordGrantFailure,
} from '#store/accounts/grant-failures.ts'
import { DatabaseUnavailableError } from '#store/database/database-unavailable.ts'
import { endIfGrantEnded } from './end-sign-ins.ts'

const answerMsMax = 4_000

/** Failed attempts needed in addition to `grantAwayMsMin`. */
const triesMin = 24
/** Counts one attempt per half hour, and starts again after a day without one. */
const counting = { countedEveryMs: hourMs / 2, pauseMsMax: 24 * hourMs }

const askedMax = 800
const askedAtOnceMax = 8

type GrantContext = Pick<ApiContext, 'db' | 'log' | 'now' | 'oauth'>

/**
 * Resolves when the account's server has confirmed the grant within the last minute; for routes that destroy data or
 * hand it over, so that revoking the grant there stops a stolen session (docs/adr/0018). Throws SessionEndedError, and
 * ApiError 502 when that server does not answer, but no longer once attempts have failed for `grantAwayMsMin`.
 */
export async function confirmGrant({ did }: { did: Did }, context: GrantContext): Promise<void> {
  const failures = await failuresNow(did, context)
  if (failures === null) return
  const { since, tries } = failures
  if (context.now() - since < grantAwayMsMin || tries < triesMin) {
    throw new ApiError(502, sentences.grantUnconfirmed, { 'retry-after': '60' })
  }
  context.log.warn('grant taken as confirmed: the account’s server has been away', {
    did,
    since,
    tries,
  })
}

/** Repeats failed checks of grants, so that two outages 72 hours apart do not count as one. */
export async function confirmAgain(
  context: GrantContext & { readonly signal: AbortSignal },
): Promise<void> {
  const { db, now, signal } = context
  const askedBefore = now() - counting.countedEveryMs
  const dids = await listGrantFailures(db, { askedBefore, limit: askedMax })
  await mapAtOnce(dids, { atOnce: askedAtOnceMax, signal }, (did) => confirmOrEnd(did, context))
}

async function confirmOrEnd(did: Did, context: GrantContext): Promise<void> {
  try {
    await failuresNow(did, context)
  } catch (error) {
    if (!(error instanceof SessionEndedError)) throw error
    await forgetGrantFailures(context.db, did)
    await endIfGrantEnded(did, context)
  }
}

/** Null: the account's server confirmed the grant. Throws SessionEndedError. */
async function failuresNow(
  did: Did,
  { db, log, now, oauth }: GrantContext,
): Promise<GrantFailures | null> {
  try {
    await orAborted(oauth.confirm(did), AbortSignal.timeout(answerMsMax))
    await forgetGrantFailures(db, did)
    return null
  } catch (error) {
    if (error instanceof SessionEndedError || error instanceof DatabaseUnavailableError) throw error
    log.warn('grant not confirmed', { did, error })
    return await recordGrantFailure(db, did, { ...counting, now: now() })
  }
}
