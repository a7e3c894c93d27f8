import type { Did } from '#site/site-address.ts'
import { isKnownAccount, setAccountStatus } from '#store/accounts/accounts.ts'
import type { Db } from '#store/database/database.ts'
import { inTransaction } from '#store/database/transaction.ts'
import { discoverAccount, isVisitedOnly } from '#store/lifecycle/visited-accounts.ts'
import { enqueueSites } from '#store/queues/enqueue.ts'
import { countDueAccounts } from '#store/queues/queued.ts'
import { nextDueAt } from '#store/queues/take-due.ts'
import type { WorkItem } from '#store/queues/work-items.ts'
import type { CheckContext } from './check-account.ts'
import { OwnerQuota } from './owner-quota.ts'
import { type AccountReading, readAccount } from './read-account.ts'
import type { WorkHandler } from './run-work.ts'

export const accountsAtOnce = 8
/** So many of them may be accounts of which nothing was heard: the others wait for those that have news. */
const patientAtOnce = 2
/**
 * So many of them may be strangers, of whom anybody brings as many as they like: who is kept for good never waits
 * behind their servers.
 */
const strangersAtOnce = 6
/** After so long a look is given up, and tried again: a server may list page after page, each just in time. */
const lookMsMaxDefault = { stranger: 60_000, other: 15 * 60_000 }
/**
 * While sites of so many accounts are due, only accounts that have news are looked at. Not by the number of sites:
 * of one account whose server is slow, a thousand may wait for hours.
 */
const dueAccountsMax = 200
/** How often it is tried to look at an account that is not known yet, when no more than a visit asks for that. */
const unmetAttemptsMax = 5

type AccountWorkContext = CheckContext & {
  readonly lookMsMax?: typeof lookMsMaxDefault
  readonly slowAfterMs?: number
}

/** Looks at accounts that are due, and puts their sites into the queue. */
export function accountWork(context: AccountWorkContext): WorkHandler {
  const { db, lookMsMax = lookMsMaxDefault, now, slowAfterMs } = context
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
    },
    async work(item, stop) {
      const ms = quota.isBounded(item) ? lookMsMax.stranger : lookMsMax.other
      const signal = AbortSignal.any([stop, AbortSignal.timeout(ms)])
      await lookAt(item, { ...context, signal })
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

async function lookAt({ did }: WorkItem, context: CheckContext): Promise<void> {
  const { at, log } = context
  at?.('account-taken')
  const { check, status, siteNames } = await readAccount(did, context)
  await rememberInactive(did, { check, status }, context)
  await enqueueSites(
    context,
    siteNames.map((name) => ({ did, name })),
  )
  at?.('account-sites-queued')
  log.info('account looked at', { did, status, sites: siteNames.length })
}

/**
 * A stranger is in the queue for a site of theirs. One who is away just now is known from here on, or nobody
 * would look when they come back.
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
 * Of somebody who was visited and is not known nothing but rows would be left, and the next visit asks again. Whoever
 * has published is parked in the end: no event may ever ask for them again.
 */
export const isHopelessIn =
  (db: Db) =>
  async ({ did, attempts }: WorkItem): Promise<boolean> => {
    if (attempts < unmetAttemptsMax || (await isKnownAccount(db, did))) return false
    return await isVisitedOnly(db, did)
  }
