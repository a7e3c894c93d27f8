import { listReposByCollection } from '#atproto/repo/list-repos.ts'
import { ownNamespace } from '#site/namespace.ts'
import type { Did } from '#site/site-address.ts'
import { keepListedForGood } from '#store/lifecycle/visited-accounts.ts'
import { enqueueAccounts } from '#store/queues/enqueue.ts'
import { isAccountQueued } from '#store/queues/queued.ts'
import { takeDue } from '#store/queues/take-due.ts'
import type { WorkItem } from '#store/queues/work-items.ts'
import { isHopelessIn } from './account-work.ts'
import { leaseMs, workOn } from './run-work.ts'
import { type AccountSync, type SyncContext, syncAccount } from './sync-account.ts'

const accountsAtOnce = 4

export interface BackfillTotals {
  /** Accounts that were read, without those that failed. */
  accounts: number
  sites: number
  /** Failed items stay in the queues; the service retries them. */
  failedAccounts: number
  failedSites: number
}

interface BackfillContext extends SyncContext {
  /** Called for each account when it is done. */
  readonly onAccount?: (did: Did, sync: AccountSync) => void
}

/** Enqueues every account that has a site, as a relay lists them; an account server lists all of its own. */
export async function enqueueNetwork(relayUrl: string, context: SyncContext): Promise<number> {
  let count = 0
  for (const network of [ownNamespace, ...(context.alsoServe ?? [])]) {
    for await (const dids of listReposByCollection(relayUrl, network.fs, context)) {
      await keepListedForGood(context.db, dids)
      count += network === ownNamespace ? dids.length : await countNotQueued(dids, context)
      await enqueueAccounts(context, dids, { isUrgent: false })
    }
  }
  return count
}

/** Accounts with sites of two networks are listed twice. */
async function countNotQueued(dids: readonly Did[], { db }: SyncContext): Promise<number> {
  let count = 0
  for (const did of dids) if (!(await isAccountQueued(db, did))) count += 1
  return count
}

/** Ingests the sites of every account that is due, until none is left; after an interruption the rest stays queued. */
export async function backfill(context: BackfillContext): Promise<BackfillTotals> {
  const totals: BackfillTotals = { accounts: 0, sites: 0, failedAccounts: 0, failedSites: 0 }
  const running = new Set<Promise<void>>()
  const start = (item: WorkItem): void => {
    const work = readOne(item, totals, context).finally(() => running.delete(work))
    running.add(work)
  }
  while (!context.signal.aborted) {
    // One take for all free places: concurrent takes on PostgreSQL skip the rows that another one locks.
    const due = await takeDue(context.db, {
      kind: 'account',
      priorities: [1, 0],
      now: context.now(),
      leaseMs,
      limit: accountsAtOnce - running.size,
    })
    for (const item of due) start(item)
    if (running.size === 0) break
    await Promise.race(running)
  }
  await Promise.all(running)
  return totals
}

async function readOne(
  item: WorkItem,
  totals: BackfillTotals,
  context: BackfillContext,
): Promise<void> {
  const work = async (): Promise<void> => {
    const sync = await syncAccount(item.did, context)
    totals.accounts += 1
    totals.sites += sync.synced
    totals.failedSites += sync.errors.length
    context.onAccount?.(item.did, sync)
  }
  const isHopeless = isHopelessIn(context.db)
  if (!(await workOn(item, work, context, { isHopeless }))) totals.failedAccounts += 1
}
