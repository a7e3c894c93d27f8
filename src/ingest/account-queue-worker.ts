import type { Log } from '#observe/log.ts'
import {
  type AccountItem,
  finishAccount,
  renewAccountLease,
  retryAccount,
  takeDueAccounts,
} from '#store/account-queue.ts'
import { isKnownAccount } from '#store/accounts.ts'
import type { Db } from '#store/database.ts'
import { countIngest, enqueueIngest } from '#store/ingest-queue.ts'
import { outlastDatabase } from '#store/outlast-database.ts'
import type { CheckContext } from './check-account.ts'
import { retryAfterMs } from './ingest-queue-worker.ts'
import { readAccount } from './read-account.ts'

const accountsAtOnce = 8
/** So many of them may be accounts of which nothing was heard: the others wait for those that have news. */
const patientAtOnce = 2
/** With more sites than this in the ingest queue, only accounts that have news are looked at. */
const ingestQueueMax = 1_000
/** So long is an account left alone when the process that looked at it is killed. */
export const accountLeaseMs = 6_000
const renewEveryMs = 2_000
const lookAgainMs = 2_000
/** How often it is tried to look at an account that is not known yet. */
const strangerAttemptsMax = 5

/**
 * Works off the account queue until the signal ends it: looks at each account, and puts its sites into the
 * ingest queue. What fails is tried again later. A database that is away is waited for.
 */
export async function runAccountQueue(context: CheckContext): Promise<void> {
  const { hints, signal } = context
  using hinted = hints.subscribe('accounts')
  const running = new Set<Promise<void>>()
  const startAndWait = async (): Promise<void> => {
    await startDue(running, context)
    await hinted.wait(lookAgainMs, signal)
  }
  await outlastDatabase('accounts', startAndWait, context)
  await Promise.all(running)
}

async function startDue(running: Set<Promise<void>>, context: CheckContext): Promise<void> {
  const { db, hints, log, now } = context
  const limit = accountsAtOnce - running.size
  // Whatever ends gives a hint.
  if (limit === 0) return
  const patient = (await countIngest(db)) < ingestQueueMax ? patientAtOnce - running.size : 0
  const urgent = await takeDueAccounts(db, {
    now: now(),
    leaseMs: accountLeaseMs,
    limit,
    urgentOnly: true,
  })
  const room = Math.min(patient, limit) - urgent.length
  const others =
    room > 0 ? await takeDueAccounts(db, { now: now(), leaseMs: accountLeaseMs, limit: room }) : []
  for (const item of [...urgent, ...others]) {
    const work = lookAt(item, context)
      .catch((error) => log.error('account stays leased', { did: item.did, error }))
      .finally(() => {
        running.delete(work)
        hints.notify('accounts')
      })
    running.add(work)
  }
}

async function lookAt(item: AccountItem, context: CheckContext): Promise<void> {
  const { db, hints, log, now } = context
  const { did } = item
  await workOn(item, context, async () => {
    const { status, siteNames } = await readAccount(did, context)
    await enqueueIngest(
      db,
      siteNames.map((name) => ({ did, name })),
      now(),
    )
    hints.notify('ingest')
    log.info('account looked at', { did, status, sites: siteNames.length })
  })
}

interface WorkContext {
  readonly db: Db
  readonly log: Log
  readonly now: () => number
  readonly signal: AbortSignal
}

/** Holds a taken account while `work` goes on. When that fails, it is tried again later: false. */
export async function workOn(
  item: AccountItem,
  context: WorkContext,
  work: () => Promise<void>,
): Promise<boolean> {
  const { db, log, now, signal } = context
  using _ = keepLease(item, context)
  try {
    await work()
    await finishAccount(db, item)
    return true
  } catch (error) {
    // Stopping is not failing: whoever starts next shall not wait for the lease to run out.
    const at = signal.aborted ? now() : now() + retryAfterMs(item.attempts)
    if (!signal.aborted) log.warn('account not looked at', { did: item.did, error })
    if (!signal.aborted && (await isHopeless(item, db))) await finishAccount(db, item)
    else await retryAccount(db, item, { at, error: String(error) })
    return false
  }
}

/** Of an account that is nobody's here, nothing but its queue row would be left. */
async function isHopeless({ did, attempts }: AccountItem, db: Db): Promise<boolean> {
  return attempts >= strangerAttemptsMax && !(await isKnownAccount(db, did))
}

function keepLease(item: AccountItem, { db, log, now }: WorkContext): Disposable {
  const timer = setInterval(() => {
    renewAccountLease(db, item, { now: now(), leaseMs: accountLeaseMs }).catch((error) =>
      log.warn('account lease not renewed', { did: item.did, error }),
    )
  }, renewEveryMs)
  return { [Symbol.dispose]: () => clearInterval(timer) }
}
