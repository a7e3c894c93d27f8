import { RecordUnavailableError } from '#atproto/repo/verified-record.ts'
import type { Did } from '#site/site-address.ts'
import { parseSiteName } from '#site/site-name.ts'
import { findAccount } from '#store/accounts/accounts.ts'
import { enqueueAccounts } from '#store/queues/account-queue.ts'
import {
  finishIngest,
  type IngestItem,
  type IngestOwners,
  nextIngestAt,
  renewIngestLease,
  retryIngest,
  takeDueIngest,
} from '#store/queues/ingest-queue.ts'
import { checkAccount } from './check-account.ts'
import { ingestSite } from './ingest-site.ts'
import { type LeasedQueue, leaseMs, runQueue } from './leased-queue.ts'
import { RefusedContents } from './refused-contents.ts'
import { partyOf, StartInShares } from './start-in-shares.ts'
import type { SyncContext } from './sync-account.ts'

/** As many at once as keep processor and disk busy; one host gives its few slots to all of them together. */
const sitesAtOnce = 32
/** Of quick and of slow ones (as many aside), so many of one server, and of one registrable domain. */
const shares = { quick: { host: 16, domain: 24 }, slow: { host: 8, domain: 16 } }
/** So many of them may be of accounts that are only visited: those of others never wait behind their servers. */
const visitedAtOnce = 12

export interface QueueContext extends SyncContext {
  /** Whether there may be accounts that are only visited. */
  readonly meetsVisited?: boolean
}

/**
 * Works off the ingest queue until the signal ends it: a few sites at once, of different accounts. What
 * failed for days is parked: it stays in the queue, and is looked at when somebody asks for it again.
 */
export async function runIngestQueue(context: QueueContext): Promise<void> {
  const { at, db, now } = context
  const queue: LeasedQueue<IngestItem> = {
    topic: 'ingest',
    failure: 'ingest failed',
    nameOf: ({ did, name }) => ({ did, site: name }),
    renew: (item, lease) => renewIngestLease(db, item, lease),
    async finish(item) {
      await finishIngest(db, item)
      at?.('site-finished')
    },
    retry: (item, later) => retryIngest(db, item, later),
  }
  const visited = new Set<IngestItem>()
  const refusedContents = new RefusedContents({ now })
  const inShares = new StartInShares({
    db,
    take: (room, line) => takeDue(room, visited, { ...context, line }),
    onPutBack: (item) => visited.delete(item),
  })
  const nextAt = () =>
    nextIngestAt(db, { now: now(), of: visited.size < visitedAtOnce ? undefined : 'others' })
  await runQueue<IngestItem>(
    {
      ...{ queue, atOnce: sitesAtOnce, shares, partyOf },
      startDue: (lanes, start) => inShares.start(lanes, start),
      async work(item, signal, lane) {
        try {
          await ingestItem(item, { ...context, lane, refusedContents, signal })
        } finally {
          visited.delete(item)
        }
      },
      onSlow: (item) => visited.delete(item),
      isAnyDue: async () => ((await nextAt()) ?? Number.POSITIVE_INFINITY) <= now(),
      nextAt,
    },
    context,
  )
}

/** `visited`: what takes up room of accounts that are only visited. */
async function takeDue(
  room: number,
  visited: Set<IngestItem>,
  { db, line, meetsVisited, now }: QueueContext & { readonly line: string | undefined },
): Promise<IngestItem[]> {
  const take = (limit: number, of?: IngestOwners) =>
    takeDueIngest(db, { now: now(), leaseMs, limit, of, line })
  if (!meetsVisited) return await take(room)
  const others = await take(room, 'others')
  const left = Math.min(room - others.length, visitedAtOnce - visited.size)
  const taken = left > 0 ? await take(left, 'visited') : []
  for (const item of taken) visited.add(item)
  return [...others, ...taken]
}

async function ingestItem({ did, ...item }: IngestItem, context: SyncContext): Promise<void> {
  const { at, hints, log } = context
  at?.('site-taken')
  const name = parseSiteName(item.name)
  if (name === null) return
  try {
    const outcome = await ingestSite({ did, name }, context)
    hints.notify('changes')
    log.info('site ingested', { did, site: name, outcome })
    await askIfHidden(did, context)
  } catch (error) {
    if (!context.signal.aborted && isAboutAccount(error)) {
      await checkAccount(did, context).catch((error) =>
        log.warn('account not checked', { did, error }),
      )
    }
    throw error
  }
}

/** The account may have gone away without an event that we heard. */
const isAboutAccount = (error: unknown): boolean =>
  error instanceof RecordUnavailableError && /^Repo[A-Z]/.test(error.code ?? '')

/**
 * The server of an account that is hidden gives what the account has signed: it may be back without an event that we
 * heard, or its server was wrong about it. Who is not back gets nothing ingested by that look: it asks for no other.
 */
async function askIfHidden(did: Did, { db, hints, now }: SyncContext): Promise<void> {
  const account = await findAccount(db, did)
  if (account === null || account.status === 'active') return
  await enqueueAccounts(db, [did], { now: now(), isUrgent: true })
  hints.notify('accounts')
}
