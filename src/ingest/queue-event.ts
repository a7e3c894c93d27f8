import type { FirehoseEvent } from '#atproto/firehose/firehose-format.ts'
import type { Identities } from '#atproto/identity/identity.ts'
import type { Log } from '#observe/log.ts'
import type { Did, SiteAddress } from '#site/site-address.ts'
import { parseSiteName } from '#site/site-name.ts'
import { knownAccountsAmong } from '#store/accounts/accounts.ts'
import { isDeletedHere } from '#store/accounts/deleted-here.ts'
import type { Db } from '#store/database/database.ts'
import type { WakeUps } from '#store/database/wake-ups.ts'
import { enqueueAccounts, enqueueKnownAccounts, enqueueSites } from '#store/queues/enqueue.ts'
import { listQueuedNames } from '#store/queues/queued.ts'
import { listSiteNames } from '#store/sites/sites.ts'

export const partCollection = 'place.sitehost.subfs'

export interface EventContext {
  readonly db: Db
  readonly wakeUps: WakeUps
  readonly log: Log
  readonly identities: Pick<Identities, 'forget'>
  /** Whether whoever publishes a site is met; otherwise only those that we know count. */
  readonly discoversAll: boolean
  readonly now: () => number
}

type SiteEvent = Extract<FirehoseEvent, { kind: 'site' }>
type AccountEvent = Extract<FirehoseEvent, { kind: 'account' | 'identity' | 'sync' }>
type GapReason = Extract<FirehoseEvent, { kind: 'gap' }>['reason']

/**
 * Puts what these events ask for into the queues; it is there when the transaction ends. An event is only a
 * hint: nothing is believed of it but that its account is worth a look. Returns whether they ask for anything.
 */
export async function queueEvents(
  events: readonly FirehoseEvent[],
  context: EventContext,
): Promise<boolean> {
  const { db, identities, log } = context
  const ofSites = events.filter((event) => event.kind === 'site')
  const ofAccounts = events.filter(isAboutAccount)
  for (const { kind, did } of ofAccounts) {
    // Before anything else is read of it: what its old key signed does not count any more.
    if (kind === 'identity') identities.forget(did)
  }
  const dids = new Set([...ofSites, ...ofAccounts].map(({ did }) => did))
  const known = await knownAccountsAmong(db, [...dids])
  const isKnown = ({ did }: { did: Did }) => known.has(did)
  const sites = await sitesOf(ofSites.filter(isKnown), db)
  const accounts = [
    ...ofAccounts.filter(isKnown).map(({ did }) => did),
    ...(await strangersToDiscover(
      ofSites.filter((event) => !isKnown(event)),
      context,
    )),
  ]
  const leftOut = await enqueueSites(context, sites)
  if (leftOut > 0) log.warn('too many sites of an account wait', { leftOut })
  await enqueueAccounts(context, accounts, { isUrgent: true })
  return sites.length > 0 || accounts.length > 0
}

const isAboutAccount = (event: FirehoseEvent): event is AccountEvent =>
  event.kind === 'account' || event.kind === 'identity' || event.kind === 'sync'

/**
 * A part does not say which sites hold it: when one changes, every site of the account is looked at, also one that
 * is not here yet because it waits for that part.
 */
async function sitesOf(events: readonly SiteEvent[], db: Db): Promise<SiteAddress[]> {
  const sites: SiteAddress[] = []
  const partOwners = new Set<Did>()
  for (const { collection, did, rkey } of events) {
    const name = parseSiteName(rkey)
    if (collection === partCollection) partOwners.add(did)
    else if (name !== null) sites.push({ did, name })
  }
  for (const did of partOwners) {
    const names = [...(await listSiteNames(db, did)), ...(await listQueuedNames(db, did))]
    sites.push(...names.map((name) => ({ did, name })))
  }
  return sites
}

async function strangersToDiscover(
  events: readonly SiteEvent[],
  { db, discoversAll }: EventContext,
): Promise<Did[]> {
  if (!discoversAll) return []
  const toMeet: Did[] = []
  for (const did of new Set(events.map((event) => event.did))) {
    if (!(await isDeletedHere(db, did))) toMeet.push(did)
  }
  return toMeet
}

/**
 * Events are missing: has every known account looked at. Of others, nothing can have been missed that would
 * be shown here.
 */
export async function queueAll(reason: GapReason, context: EventContext): Promise<void> {
  const { log } = context
  const accounts = await enqueueKnownAccounts(context)
  // A first start has nothing to have missed.
  const level = reason === 'no-cursor' ? 'info' : 'warn'
  log[level]('firehose has a gap', { reason, accountsQueued: accounts })
}
