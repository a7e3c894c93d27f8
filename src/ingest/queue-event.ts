import type { FirehoseEvent } from '#atproto/firehose/firehose-format.ts'
import type { Identities } from '#atproto/identity/identity.ts'
import type { Log } from '#observe/log.ts'
import { foreignNamespaces, type Namespace, ownNamespace } from '#site/namespace.ts'
import type { Did, SiteAddress } from '#site/site-address.ts'
import { namespaceOf, siteNameIn } from '#site/site-name.ts'
import { parseVersionKey } from '#site/version-key.ts'
import { knownAccountsAmong } from '#store/accounts/accounts.ts'
import { isDeletedHere } from '#store/accounts/deleted-here.ts'
import { didHash } from '#store/accounts/did-hash.ts'
import { appendIdentityChange } from '#store/database/changes.ts'
import type { Db } from '#store/database/database.ts'
import {
  type EnqueueContext,
  enqueueAccounts,
  enqueueKnownAccounts,
  enqueueSites,
  enqueueVersions,
} from '#store/queues/enqueue.ts'
import { listQueuedNames, listQueuedVersions } from '#store/queues/queued.ts'
import { listSiteNames } from '#store/sites/sites.ts'
import type { VersionRecordKey } from '#store/sites/version-records/version-record-rows.ts'
import { versionCollection } from './ingest-version.ts'

export interface EventContext extends EnqueueContext {
  readonly log: Log
  readonly identities: Pick<Identities, 'forget'>
  /** Whether every account that publishes a site is discovered; otherwise only events of known accounts count. */
  readonly discoversAll: boolean
}

type SiteEvent = Extract<FirehoseEvent, { kind: 'site' }>
type AccountEvent = Extract<FirehoseEvent, { kind: 'account' | 'identity' | 'sync' }>
type GapReason = Extract<FirehoseEvent, { kind: 'gap' }>['reason']

/**
 * Enqueues the sites, version records and accounts that these events are about; committed with the transaction. An event's content is
 * not trusted: it only causes a read of the account's repository, and that all processes resolve a changed identity anew. Returns whether anything was enqueued.
 */
export async function queueEvents(
  events: readonly FirehoseEvent[],
  context: EventContext,
): Promise<boolean> {
  const { db, identities, log, now } = context
  const ofSites = events.filter((event) => event.kind === 'site')
  const ofAccounts = events.filter(isAboutAccount)
  for (const { kind, did } of ofAccounts) {
    // Before anything else is read from it: what its old key signed no longer counts.
    if (kind === 'identity') identities.forget(did)
  }
  const dids = new Set([...ofSites, ...ofAccounts].map(({ did }) => did))
  const known = await knownAccountsAmong(db, [...dids])
  const isKnown = ({ did }: { did: Did }) => known.has(did)
  const concerned = await concernedBy(ofSites.filter(isKnown), db)
  const accounts = [
    ...ofAccounts.filter(isKnown).map(({ did }) => did),
    ...(await strangersToDiscover(
      ofSites.filter((event) => !isKnown(event)),
      context,
    )),
  ]
  const { sites, versions } = concerned
  const leftOut = await enqueueSites(context, sites)
  if (leftOut > 0) log.warn('account has too many queued sites', { leftOut })
  const versionsLeftOut = await enqueueVersions(context, versions)
  if (versionsLeftOut > 0) log.warn('account has too many queued versions', { versionsLeftOut })
  await enqueueAccounts(context, accounts, { isUrgent: true })
  const changed = ofAccounts.filter((event) => event.kind === 'identity' && isKnown(event))
  for (const did of new Set(changed.map((event) => event.did))) {
    await appendIdentityChange(db, didHash(did), now())
  }
  return sites.length > 0 || versions.length > 0 || accounts.length > 0
}

const isAboutAccount = (event: FirehoseEvent): event is AccountEvent =>
  event.kind === 'account' || event.kind === 'identity' || event.kind === 'sync'

interface Concerned {
  readonly sites: SiteAddress[]
  readonly versions: VersionRecordKey[]
}

/**
 * A part does not name the sites that refer to it: when one changes, all sites of the account in its network are read, including a
 * queued one that is not here yet because the part was missing; and queued version records, but not those that were
 * read: they keep the content that they had.
 */
async function concernedBy(events: readonly SiteEvent[], db: Db): Promise<Concerned> {
  const sites: SiteAddress[] = []
  const versions: VersionRecordKey[] = []
  const partOwners = new Map<string, { did: Did; namespace: Namespace }>()
  for (const { collection, did, rkey } of events) {
    if (collection === versionCollection) {
      const key = parseVersionKey(rkey)
      if (key !== null) versions.push({ did, key })
      continue
    }
    const namespace = networks.find((network) => holdsSites(network, collection))
    if (namespace === undefined) continue
    const name = siteNameIn(namespace, rkey)
    if (collection === namespace.subfs) partOwners.set(`${did} ${collection}`, { did, namespace })
    else if (name !== null) sites.push({ did, name })
  }
  for (const { did, namespace } of partOwners.values()) {
    const names = [...(await listSiteNames(db, did)), ...(await listQueuedNames(db, did))]
    const concerned = names.filter((name) => namespaceOf(name) === namespace)
    sites.push(...concerned.map((name) => ({ did, name })))
    if (namespace !== ownNamespace) continue
    const keys = await listQueuedVersions(db, did)
    versions.push(...keys.map((key) => ({ did, key })))
  }
  return { sites, versions }
}

const networks: readonly Namespace[] = [ownNamespace, ...foreignNamespaces]

const holdsSites = ({ fs, settings, subfs }: Namespace, collection: string): boolean =>
  collection === fs || collection === settings || collection === subfs

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

/** Events are missing: enqueues every known account. Unknown accounts do not affect what is served here. */
export async function queueAll(reason: GapReason, context: EventContext): Promise<void> {
  const { log } = context
  const accounts = await enqueueKnownAccounts(context)
  // A first start has missed nothing.
  const level = reason === 'no-cursor' ? 'info' : 'warn'
  log[level]('firehose has a gap', { reason, accountsQueued: accounts })
}
