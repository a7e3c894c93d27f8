import type { Did } from '#site/site-address.ts'
import { setAccountStatus } from '#store/accounts/account-status.ts'
import { isKnownAccount } from '#store/accounts/accounts.ts'
import type { Db } from '#store/database/database.ts'
import { inTransaction } from '#store/database/transaction.ts'
import { discoverAccount, isVisitedOnly } from '#store/lifecycle/visited-accounts.ts'
import { enqueueSites } from '#store/queues/enqueue.ts'
import { countDueAccounts } from '#store/queues/queued.ts'
import { nextDueAt } from '#store/queues/take-due.ts'
import type { WorkItem } from '#store/queues/work-items.ts'
import { enqueueChangedVersions } from './changed-versions.ts'
import type { CheckContext } from './check-account.ts'
import { OwnerQuota } from './owner-quota.ts'
import { type AccountReading, readAccount } from './read-account.ts'
import type { WorkHandler } from './run-work.ts'

export const accountsAtOnce = 8
/** Of these, accounts without an event. The rest is reserved for accounts with one. */
const patientAtOnce = 2
/** Of these, accounts that are unknown or only visited: anybody can enqueue them, and others must not wait for their servers. */
const strangersAtOnce = 6
/** Deadline of one attempt, which is then retried: a server may list page after page, each just in time. */
const checkMsMaxDefault = { stranger: 60_000, other: 15 * 60_000 }
/**
 * While sites of this many accounts are due, only accounts with an event are read. It counts accounts, not sites: a
 * thousand sites of one account with a slow server may wait for hours.
 */
const dueAccountsMax = 200
/** Attempts to read an unknown account that only a visit asked for. */
const unmetAttemptsMax = 5

type AccountWorkContext = CheckContext & {
  readonly checkMsMax?: typeof checkMsMaxDefault
  readonly slowAfterMs?: number
}

/** Reads accounts that are due and enqueues their sites. */
export function accountWork(context: AccountWorkContext): WorkHandler {
  const { db, checkMsMax = checkMsMaxDefault, now, slowAfterMs } = context
  const quota = new OwnerQuota({
    db,
    kind: 'account',
    now,
    max: strangersAtOnce,
    owners: { bounded: 'strangers', free: 'known' },
  })
  return {
    kind: 'account',
    atOnce: accountsAtOnce,
    slowAfterMs,
    async startDue({ busy, capacity }, start) {
      for (const item of await takeAccounts(quota, { busy, capacity }, context)) start(item)
      return false
    },
    async work(item, stop) {
      const ms = quota.isBounded(item) ? checkMsMax.stranger : checkMsMax.other
      const signal = AbortSignal.any([stop, AbortSignal.timeout(ms)])
      await readItem(item, { ...context, signal })
    },
    release: (item) => quota.release(item),
    async isAnyDue() {
      const next = await nextDueAt(db, { kind: 'account', priority: 1, now: now() })
      return next !== null && next <= now()
    },
    isHopeless: isHopelessIn(db),
  }
}

async function takeAccounts(
  quota: OwnerQuota,
  { busy, capacity }: { busy: number; capacity: number },
  { db, now }: CheckContext,
): Promise<WorkItem[]> {
  if (capacity <= 0) return []
  const urgent = await quota.take(capacity, { priorities: [1] })
  const patient = (await countDueAccounts(db, now())) < dueAccountsMax ? patientAtOnce - busy : 0
  const left = Math.min(patient, capacity) - urgent.length
  return [...urgent, ...(await quota.take(left, { priorities: [0] }))]
}

async function readItem({ did }: WorkItem, context: CheckContext): Promise<void> {
  const { at, log } = context
  at?.('account-taken')
  const { check, status, siteNames, identity } = await readAccount(did, context)
  await rememberInactive(did, { check, status }, context)
  await enqueueSites(
    context,
    siteNames.map((name) => ({ did, name })),
  )
  at?.('account-sites-queued')
  if (identity !== null) await enqueueChangedVersions(identity, context)
  log.debug('account checked', { did, status, sites: siteNames.length })
}

/**
 * An unknown account is in the queue because of one of its sites. If it is inactive now, it becomes known here;
 * otherwise nothing would check whether it is active again.
 */
async function rememberInactive(
  did: Did,
  { check, status }: Pick<AccountReading, 'check' | 'status'>,
  { db, now }: CheckContext,
): Promise<void> {
  if (status === 'active' || status === 'deleted' || (await isKnownAccount(db, did))) return
  await inTransaction(db, async (transaction) => {
    if (!(await discoverAccount(transaction, { did }, now()))) return
    await setAccountStatus(transaction, did, status, now(), check)
  })
}

/**
 * An unknown account that was only visited is dropped from the queue: the next visit asks again. An unknown account
 * that has published is parked instead: there may never be another event.
 */
export const isHopelessIn =
  (db: Db) =>
  async ({ did, attempts }: WorkItem): Promise<boolean> => {
    if (attempts < unmetAttemptsMax || (await isKnownAccount(db, did))) return false
    return await isVisitedOnly(db, did)
  }
