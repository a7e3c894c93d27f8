import { RecordUnavailableError } from '#atproto/repo/verified-record.ts'
import type { LaneShares } from '#concurrency/lanes.ts'
import type { Did } from '#site/site-address.ts'
import { findAccount } from '#store/accounts/accounts.ts'
import type { WorkKind } from '#store/database/schema.ts'
import { enqueueAccounts } from '#store/queues/enqueue.ts'
import { ingestedOf, type WorkItem } from '#store/queues/work-items.ts'
import { checkAccount } from './check-account.ts'
import { OwnerQuota } from './owner-quota.ts'
import type { WorkHandler } from './run-work.ts'
import { partyOf, StartInShares } from './start-in-shares.ts'
import type { SyncContext } from './sync-account.ts'

/** Maximum of items of accounts that are only visited: other accounts must not wait for their servers. */
const visitedAtOnce = 12

interface RepositoryWorkOptions
  extends Pick<WorkHandler, 'atOnce' | 'detachedMax' | 'slowAfterMs'> {
  readonly kind: Exclude<WorkKind, 'account'>
  /** Maximum of quick and slow items of one server, and of one registrable domain. */
  readonly shares: LaneShares
  /** Whether there may be accounts that are only visited. */
  readonly discoversVisited: boolean
  /** Reads what the item names. */
  readonly read: (item: WorkItem, context: SyncContext) => Promise<void>
}

/** Reads records of repositories that are due, of several accounts at a time, each server within its share. */
export function repositoryWork(
  { kind, discoversVisited, read, ...options }: RepositoryWorkOptions,
  context: SyncContext,
): WorkHandler {
  const { db, now } = context
  const quota = new OwnerQuota({
    db,
    kind,
    now,
    max: visitedAtOnce,
    owners: discoversVisited ? { bounded: 'visited', free: 'not-visited' } : null,
  })
  const isDue = async (line?: string): Promise<boolean> => {
    const next = await quota.nextAt({ line })
    return next !== null && next <= now()
  }
  const inShares = new StartInShares({
    db,
    kind,
    take: (limit, line) => quota.take(limit, { line }),
    isDue,
    onPutBack: (item) => quota.release(item),
  })
  return {
    ...options,
    kind,
    partyOf,
    startDue: async (lanes, start) => (await inShares.start(lanes, start)) && !quota.isFull,
    work: (item, signal, lane) => readItem(item, read, { ...context, lane, signal }),
    release: (item) => quota.release(item),
    isAnyDue: async (lanes) => (await isDue()) || (await inShares.isQuickLineDue(lanes)),
    nextAt: () => quota.nextAt(),
  }
}

async function readItem(
  item: WorkItem,
  read: RepositoryWorkOptions['read'],
  context: SyncContext,
): Promise<void> {
  const { at, wakeUps, log } = context
  const { did, kind } = item
  if (kind !== 'account') at?.(`${kind}-taken`)
  try {
    await read(item, context)
    wakeUps.notify('ingested', { about: ingestedOf(item) })
    wakeUps.notify('changes')
    await enqueueIfHidden(did, context)
  } catch (error) {
    if (!context.signal.aborted && isAboutAccount(error)) {
      await checkAccount(did, context).catch((error) =>
        log.warn('account check failed', { did, error }),
      )
    }
    throw error
  }
}

/** The account may have become inactive without an event that reached us. */
const isAboutAccount = (error: unknown): boolean =>
  error instanceof RecordUnavailableError && /^Repo[A-Z]/.test(error.code ?? '')

/**
 * A hidden account's server returned records that the account has signed: the account may be active again without an
 * event that reached us. If it is not, the read ingests nothing, so it cannot cause another one.
 */
async function enqueueIfHidden(did: Did, context: SyncContext): Promise<void> {
  const account = await findAccount(context.db, did)
  if (account === null || account.status === 'active') return
  await enqueueAccounts(context, [did], { isUrgent: true })
}
