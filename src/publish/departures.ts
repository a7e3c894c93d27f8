import type { OAuth } from '#atproto/oauth/oauth.ts'
import { AccountRepo } from '#atproto/repo/account-repo.ts'
import { everyOrWhenWoken } from '#concurrency/every-or-when-woken.ts'
import type { Log } from '#observe/log.ts'
import type { Did } from '#site/site-address.ts'
import type { Db } from '#store/database/database.ts'
import type { Hints } from '#store/database/hints.ts'
import { waitForDatabase } from '#store/database/wait-for-database.ts'
import {
  beginDeparture,
  type DepartureOutcome,
  finishDeparture,
  takeDueDepartures,
} from '#store/lifecycle/departures.ts'
import { listUnfinishedSites } from '#store/queues/jobs.ts'
import { deleteAllRecords } from './delete-records.ts'
import type { AtFailPoint } from './fail-points.ts'

export interface DepartureContext {
  readonly db: Db
  readonly hints: Hints
  readonly log: Log
  readonly oauth: Pick<OAuth, 'has' | 'revoke' | 'session'>
  readonly now: () => number
  readonly at: AtFailPoint
}

/** After so long a departure is taken up whose process was killed. To end it twice does no harm. */
export const departureRetryMs = 20_000
const departuresAtOnce = 10
const lookAgainMs = 5_000

/**
 * Removes everything that is here of an account; with `records`, first what is of ours in its repository: when
 * that fails, nothing here has changed. Not while it publishes. Its tokens are ended by `runDepartures`, also
 * when this process is killed. Throws what writing to the repository throws.
 */
export async function leave(
  did: Did,
  { records }: { readonly records: boolean },
  context: DepartureContext,
): Promise<DepartureOutcome> {
  const { at, db, hints, log, now, oauth } = context
  if ((await listUnfinishedSites(db, did)).length > 0) return 'publishing'
  if (records) await deleteAllRecords({ repo: new AccountRepo(did, oauth.session), now })
  at('records-deleted')
  const outcome = await beginDeparture(db, did, now())
  if (outcome === 'publishing') return outcome
  at('account-left')
  hints.notify('changes')
  hints.notify('departures')
  log.info('account left', { did, records })
  return outcome
}

/** Ends the departures that were begun, until the signal ends it. A database that is away is waited for. */
export async function runDepartures(
  context: DepartureContext & { readonly signal: AbortSignal },
): Promise<void> {
  const { hints, signal } = context
  using hinted = hints.subscribe('departures')
  const end = async (): Promise<number> => {
    await endDepartures(context)
    return lookAgainMs
  }
  const onError = waitForDatabase('departures', context)
  await everyOrWhenWoken(end, { signal, wakeUp: hinted, onError })
}

/** Ends those that are due. */
export async function endDepartures(context: DepartureContext): Promise<void> {
  const { db, now } = context
  const due = await takeDueDepartures(db, {
    now: now(),
    retryMs: departureRetryMs,
    limit: departuresAtOnce,
  })
  await Promise.all(due.map((did) => endDeparture(did, context)))
}

async function endDeparture(did: Did, context: DepartureContext): Promise<void> {
  const { db, hints, log, now, oauth } = context
  try {
    await oauth.revoke(did)
  } catch (error) {
    // Without its tokens, which are deleted now, nobody can use what its server still takes for open.
    log.warn('session not revoked', { did, error })
  }
  await finishDeparture(db, did, now())
  hints.notify('changes')
}
