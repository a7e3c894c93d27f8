import type { Did } from '#site/site-address.ts'
import { isKnownAccount, setAccountStatus } from '#store/accounts/accounts.ts'
import type { Db } from '#store/database/database.ts'
import { inTransaction } from '#store/database/transaction.ts'
import { isVisitedOnly, meetAccount } from '#store/lifecycle/visited-accounts.ts'
import {
  type AccountItem,
  finishAccount,
  isAccountDue,
  type QueuedAccounts,
  renewAccountLease,
  retryAccount,
  takeDueAccounts,
} from '#store/queues/account-queue.ts'
import { countDueAccounts, enqueueIngest } from '#store/queues/ingest-queue.ts'
import type { CheckContext } from './check-account.ts'
import { type LeasedQueue, leaseMs, runQueue } from './leased-queue.ts'
import { type AccountReading, readAccount } from './read-account.ts'

const accountsAtOnce = 8
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

/**
 * Works off the account queue until the signal ends it: looks at each account, and puts its sites into the
 * ingest queue.
 */
export async function runAccountQueue(
  context: CheckContext & {
    readonly lookMsMax?: typeof lookMsMaxDefault
    readonly slowAfterMs?: number
  },
): Promise<void> {
  const { lookMsMax = lookMsMaxDefault } = context
  const strangers = new Set<AccountItem>()
  await runQueue(
    {
      queue: accountQueue(context),
      atOnce: accountsAtOnce,
      slowAfterMs: context.slowAfterMs,
      async startDue({ busy, room }, start) {
        if (room <= 0) return
        for (const item of await takeDue(room, { busy, strangers }, context)) start(item)
      },
      async work(item, stop) {
        const ms = strangers.has(item) ? lookMsMax.stranger : lookMsMax.other
        const signal = AbortSignal.any([stop, AbortSignal.timeout(ms)])
        try {
          await lookAt(item, { ...context, signal })
        } finally {
          strangers.delete(item)
        }
      },
      onSlow: (item) => strangers.delete(item),
      isAnyDue: () => isAccountDue(context.db, context.now()),
    },
    context,
  )
}

export function accountQueue({
  at,
  db,
}: Pick<CheckContext, 'at' | 'db'>): LeasedQueue<AccountItem> {
  return {
    topic: 'accounts',
    failure: 'account not looked at',
    nameOf: ({ did }) => ({ did }),
    renew: (item, lease) => renewAccountLease(db, item, lease),
    async finish(item) {
      await finishAccount(db, item)
      at?.('account-finished')
    },
    retry: (item, later) => retryAccount(db, item, later),
    isHopeless: (item) => isHopeless(item, db),
  }
}

interface UnderWay {
  readonly busy: number
  /** Those of them that are no more than visited, or not known. */
  readonly strangers: Set<AccountItem>
}

async function takeDue(
  room: number,
  { busy, strangers }: UnderWay,
  { db, now }: CheckContext,
): Promise<AccountItem[]> {
  const take = async (limit: number, urgentOnly: boolean, of: QueuedAccounts) =>
    limit > 0 ? await takeDueAccounts(db, { now: now(), leaseMs, limit, urgentOnly, of }) : []
  const takeBoth = async (limit: number, urgentOnly: boolean) => {
    const others = await take(limit, urgentOnly, 'others')
    const left = Math.min(limit - others.length, strangersAtOnce - strangers.size)
    const taken = await take(left, urgentOnly, 'strangers')
    for (const item of taken) strangers.add(item)
    return [...others, ...taken]
  }
  const urgent = await takeBoth(room, true)
  const patient = (await countDueAccounts(db, now())) < dueAccountsMax ? patientAtOnce - busy : 0
  return [...urgent, ...(await takeBoth(Math.min(patient, room) - urgent.length, false))]
}

async function lookAt({ did }: AccountItem, context: CheckContext): Promise<void> {
  const { at, db, hints, log, now } = context
  at?.('account-taken')
  const { check, status, siteNames } = await readAccount(did, context)
  await rememberInactive(did, { check, status }, context)
  await enqueueIngest(
    db,
    siteNames.map((name) => ({ did, name })),
    now(),
  )
  at?.('account-sites-queued')
  hints.notify('ingest')
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
    if (!(await meetAccount(transaction, { did }, now()))) return
    await setAccountStatus(transaction, did, status, now(), check)
  })
}

/**
 * Of somebody who was visited and is not known nothing but rows would be left, and the next visit asks again. Whoever
 * has published is parked in the end: no event may ever ask for them again.
 */
async function isHopeless({ did, attempts }: AccountItem, db: Db): Promise<boolean> {
  if (attempts < unmetAttemptsMax || (await isKnownAccount(db, did))) return false
  return await isVisitedOnly(db, did)
}
