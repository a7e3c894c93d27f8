import { RecordUnavailableError } from '#atproto/repo/verified-record.ts'
import { noSpans } from '#observe/spans.ts'
import type { Did } from '#site/site-address.ts'
import { parseSiteName } from '#site/site-name.ts'
import { findAccount } from '#store/accounts/accounts.ts'
import { enqueueAccounts } from '#store/queues/enqueue.ts'
import type { WorkItem } from '#store/queues/work-items.ts'
import { checkAccount } from './check-account.ts'
import { ingestSite } from './ingest-site.ts'
import { OwnerQuota } from './owner-quota.ts'
import { RefusedContents } from './refused-contents.ts'
import type { WorkHandler } from './run-work.ts'
import { partyOf, StartInShares } from './start-in-shares.ts'
import type { SyncContext } from './sync-account.ts'

/** Keeps processor and disk busy; all sites of one host share its few connections. */
export const sitesAtOnce = 32
/** Maximum of quick and slow items of one server, and of one registrable domain. */
const shares = { quick: { host: 16, domain: 24 }, slow: { host: 8, domain: 16 } }
/** Maximum of items of accounts that are only visited: other accounts must not wait for their servers. */
const visitedAtOnce = 12

export interface SiteWorkContext extends SyncContext {
  /** Whether there may be accounts that are only visited. */
  readonly discoversVisited?: boolean
}

/** Ingests sites that are due, of several accounts at a time. */
export function siteWork(context: SiteWorkContext): WorkHandler {
  const { db, discoversVisited = false, now } = context
  const quota = new OwnerQuota({
    db,
    kind: 'site',
    now,
    max: visitedAtOnce,
    owners: discoversVisited ? { bounded: 'visited', free: 'not-visited' } : null,
  })
  const refusedContents = new RefusedContents()
  const isDue = async (line?: string): Promise<boolean> => {
    const next = await quota.nextAt({ line })
    return next !== null && next <= now()
  }
  const inShares = new StartInShares({
    db,
    take: (limit, line) => quota.take(limit, { line }),
    isDue,
    onPutBack: (item) => quota.release(item),
  })
  return {
    kind: 'site',
    atOnce: sitesAtOnce,
    shares,
    partyOf,
    startDue: (lanes, start) => inShares.start(lanes, start),
    work: (item, signal, lane) => ingestItem(item, { ...context, lane, refusedContents, signal }),
    release: (item) => quota.release(item),
    isAnyDue: async (lanes) => (await isDue()) || (await inShares.isQuickLineDue(lanes)),
    nextAt: () => quota.nextAt(),
  }
}

async function ingestItem({ did, site }: WorkItem, context: SyncContext): Promise<void> {
  const { at, wakeUps, log, spans = noSpans } = context
  at?.('site-taken')
  const name = parseSiteName(site)
  if (name === null) return
  try {
    await spans.run('ingest', { did, site: name }, async (span) => {
      span.set('outcome', await ingestSite({ did, name }, context))
    })
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
