import type { FirehoseEvent } from '#atproto/follow-firehose.ts'
import type { Identities } from '#atproto/identity.ts'
import type { Log } from '#observe/log.ts'
import type { Did, SiteAddress } from '#site/site-address.ts'
import { parseSiteName } from '#site/site-name.ts'
import { enqueueAccounts, enqueueKnownAccounts } from '#store/account-queue.ts'
import { isKnownAccount } from '#store/accounts.ts'
import type { Db } from '#store/database.ts'
import type { Hints } from '#store/hints.ts'
import { enqueueIngest } from '#store/ingest-queue.ts'
import { listSiteNames } from '#store/sites.ts'

export const partCollection = 'place.sitehost.subfs'

export interface EventContext {
  readonly db: Db
  readonly hints: Hints
  readonly log: Log
  readonly identities: Pick<Identities, 'forget'>
  /** Whether whoever publishes a site is met; otherwise only those that we know count. */
  readonly meetsAll: boolean
  readonly now: () => number
}

type SiteEvent = Extract<FirehoseEvent, { kind: 'site' }>

/**
 * Puts what an event asks for into the queues; it is durably there when this resolves. An event is only a
 * hint: nothing is believed of it but that its account is worth a look. True when there was something to do.
 */
export async function queueEvent(event: FirehoseEvent, context: EventContext): Promise<boolean> {
  switch (event.kind) {
    case 'site':
      return await queueSites(event, context)
    case 'identity':
      // Before anything else is read of it: what its old key signed does not count any more.
      context.identities.forget(event.did)
      return await queueAccount(event.did, context)
    case 'account':
    case 'sync':
      return await queueAccount(event.did, context)
    case 'gap':
      return await queueAll(event.reason, context)
    case 'passed':
      return false
  }
}

async function queueSites(event: SiteEvent, context: EventContext): Promise<boolean> {
  const { db, hints, meetsAll, now } = context
  if (!(await isKnownAccount(db, event.did))) {
    if (!meetsAll) return false
    await enqueueAccounts(db, [event.did], { now: now(), isUrgent: true })
    hints.notify('accounts')
    return true
  }
  const sites = await sitesOf(event, db)
  if (sites.length === 0) return false
  await enqueueIngest(db, sites, now())
  hints.notify('ingest')
  return true
}

/** A part does not say which sites hold it: when one changes, every site of the account is looked at. */
async function sitesOf({ collection, did, rkey }: SiteEvent, db: Db): Promise<SiteAddress[]> {
  const name = parseSiteName(rkey)
  if (collection !== partCollection) return name === null ? [] : [{ did, name }]
  return (await listSiteNames(db, did)).map((holder) => ({ did, name: holder }))
}

async function queueAccount(did: Did, { db, hints, now }: EventContext): Promise<boolean> {
  if (!(await isKnownAccount(db, did))) return false
  await enqueueAccounts(db, [did], { now: now(), isUrgent: true })
  hints.notify('accounts')
  return true
}

/** Of accounts that are not known, nothing can have been missed that would be shown here. */
async function queueAll(reason: string, { db, hints, log, now }: EventContext): Promise<boolean> {
  const accounts = await enqueueKnownAccounts(db, now())
  // A first start has nothing to have missed.
  const level = reason === 'no-cursor' ? 'info' : 'warn'
  log[level]('firehose has a gap', { reason, accountsQueued: accounts })
  hints.notify('accounts')
  return true
}
