import { type Insertable, type InsertObject, sql } from 'kysely'
import { currentTrace } from '#observe/trace.ts'
import { accountSitesMax, accountVersionRecordsMax } from '#site/limits.ts'
import type { Did, SiteAddress } from '#site/site-address.ts'
import type { VersionKey } from '#site/version-key.ts'
import { type Account, listAccounts } from '#store/accounts/accounts.ts'
import { chunksOf } from '#store/database/chunks.ts'
import type { Db } from '#store/database/database.ts'
import { distinctInOrder } from '#store/database/distinct-in-order.ts'
import { pagesOf } from '#store/database/pages.ts'
import { prepared, preparedForList } from '#store/database/prepared.ts'
import type { Schema, WorkKind, WorkPriority } from '#store/database/schema.ts'
import { afterCommit } from '#store/database/transaction.ts'
import type { WakeUps } from '#store/database/wake-ups.ts'
import { listQueued } from './queued.ts'
import { parkedAt } from './work-items.ts'

export interface EnqueueContext {
  readonly db: Db
  /** Wakes the worker after the commit. */
  readonly wakeUps: WakeUps
  readonly now: () => number
}

/**
 * Enqueues sites, due now. A site that is being read is read once more. One that has just failed is due no sooner than
 * its last attempt allows, and one in a line keeps its place. At most `accountSitesMax` sites of an account wait;
 * returns how many it left out for that reason.
 */
export async function enqueueSites(
  context: EnqueueContext,
  sites: readonly SiteAddress[],
): Promise<number> {
  return await enqueueAdmitted(
    'site',
    sites.map(({ did, name }) => ({ did, site: name })),
    context,
  )
}

/** As `enqueueSites`, for version records, of which `accountVersionRecordsMax` of an account wait. */
export async function enqueueVersions(
  context: EnqueueContext,
  versions: readonly { readonly did: Did; readonly key: VersionKey }[],
): Promise<number> {
  return await enqueueAdmitted(
    'version',
    versions.map(({ did, key }) => ({ did, site: key })),
    context,
  )
}

async function enqueueAdmitted(
  kind: LimitedKind,
  items: readonly LimitedItem[],
  context: EnqueueContext,
): Promise<number> {
  const asked = distinctInOrder(items, ({ did, site }) => `${did}/${site}`)
  const admitted = await admittedAmong(context.db, kind, asked)
  const rows = admitted.map((item) => ({ ...item, priority: 0 as const }))
  await enqueue(kind, rows, context)
  return asked.length - admitted.length
}

type LimitedKind = Exclude<WorkKind, 'account'>
type LimitedItem = Pick<NewRow, 'did' | 'site'>

const waitingMax: Record<LimitedKind, number> = {
  site: accountSitesMax,
  version: accountVersionRecordsMax,
}

/**
 * Enqueues accounts, due now. One that is being read is read once more. Urgent accounts, which had an event or a
 * request, go before rechecks, and stay urgent.
 */
export async function enqueueAccounts(
  context: EnqueueContext,
  dids: readonly Did[],
  { isUrgent }: { isUrgent: boolean },
): Promise<void> {
  const priority: WorkPriority = isUrgent ? 1 : 0
  const rows = distinctInOrder(dids, String).map((did) => ({ did, site: '' as const, priority }))
  await enqueue('account', rows, context)
}

/** Enqueues every known account, page by page; all of them are in the queue when it resolves. */
export async function enqueueKnownAccounts(context: EnqueueContext): Promise<number> {
  let count = 0
  const didOf = ({ did }: Account): Did => did
  for await (const page of pagesOf((after) => listAccounts(context.db, { after }), didOf)) {
    await enqueueAccounts(context, page.map(didOf), { isUrgent: false })
    count += page.length
  }
  return count
}

/**
 * Enqueues inactive accounts that were not updated since `before`, least recently updated first, except queued and
 * parked ones. Returns how many.
 */
export async function enqueueInactiveAccounts(
  context: EnqueueContext,
  { before, limit }: { before: number; limit: number },
): Promise<number> {
  const rows = await context.db
    .selectFrom('accounts')
    .leftJoin('workItems', (join) =>
      join.onRef('workItems.did', '=', 'accounts.did').on('kind', '=', 'account'),
    )
    .select('accounts.did')
    // A literal, as in the partial index.
    .where('status', '!=', sql.lit('active'))
    .where('updatedAt', '<', before)
    .where('workItems.did', 'is', null)
    .orderBy('updatedAt')
    .limit(limit)
    .execute()
  const dids = rows.map(({ did }) => did)
  await enqueueAccounts(context, dids, { isUrgent: false })
  return dids.length
}

async function enqueue(
  kind: WorkKind,
  items: readonly Pick<NewRow, 'did' | 'site' | 'priority'>[],
  { db, wakeUps, now }: EnqueueContext,
): Promise<void> {
  const at = now()
  const isNew = { attempts: 0, leasedUntil: 0, lastError: null, line: '', notBefore: 0 }
  const traceId = currentTrace()?.id ?? null
  const facts = { ...isNew, kind, enqueuedAt: at, nextAttemptAt: at, traceId }
  const rows = items.map((item) => ({ ...item, ...facts, token: crypto.randomUUID() }))
  const [row] = rows
  if (row === undefined) return
  if (rows.length === 1) await insertOne[kind](db, row)
  else for (const chunk of chunksOf(rows)) await insert(db, kind, chunk).execute()
  afterCommit(db, () => wakeUps.notify(kind))
}

type NewRow = Insertable<Schema['workItems']>

const insert = (db: Db, kind: WorkKind, rows: readonly InsertObject<Schema, 'workItems'>[]) =>
  db
    .insertInto('workItems')
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(['did', 'kind', 'site']).doUpdateSet(({ eb, fn, ref }) => ({
        // All but accounts get new attempts only when they are parked: events do not reset them.
        attempts:
          kind === 'account'
            ? 0
            : eb
                .case()
                .when('workItems.nextAttemptAt', '=', sql.lit(parkedAt))
                .then(sql.lit(0))
                .else(ref('workItems.attempts'))
                .end(),
        nextAttemptAt: eb
          .case()
          .when('workItems.line', '!=', '')
          .then(ref('workItems.nextAttemptAt'))
          .when('workItems.notBefore', '>', ref('excluded.nextAttemptAt'))
          .then(ref('workItems.notBefore'))
          .else(ref('excluded.nextAttemptAt'))
          .end(),
        priority: eb
          .case()
          .when('workItems.priority', '>', ref('excluded.priority'))
          .then(ref('workItems.priority'))
          .else(ref('excluded.priority'))
          .end(),
        lastError: null,
        token: ref('excluded.token'),
        // An event of the firehose about the same change has none.
        traceId: fn.coalesce(ref('excluded.traceId'), ref('workItems.traceId')),
      })),
    )

const insertOneOf = (kind: WorkKind) =>
  prepared<NewRow, unknown>((db, row) => insert(db, kind, [row]))

const insertOne: Record<WorkKind, ReturnType<typeof insertOneOf>> = {
  site: insertOneOf('site'),
  version: insertOneOf('version'),
  account: insertOneOf('account'),
}

/**
 * The items within the quotas of their accounts: an attacker can make up any number of names, and unreadable sites stay
 * in the queue.
 */
async function admittedAmong(
  db: Db,
  kind: LimitedKind,
  items: readonly LimitedItem[],
): Promise<readonly LimitedItem[]> {
  const ofAccount = Map.groupBy(items, ({ did }) => did)
  const rows = await selectWaiting[kind](db, [...ofAccount.keys()])
  const waiting = new Map(rows.map(({ did, count }) => [did, Number(count)]))
  const crowded = [...ofAccount].filter(
    ([did, asked]) => (waiting.get(did) ?? 0) + asked.length > waitingMax[kind],
  )
  if (crowded.length === 0) return items
  for (const [did, asked] of crowded) ofAccount.set(did, await withinQuota(db, kind, did, asked))
  return distinctInOrder([...ofAccount.values()].flat(), ({ did, site }) => `${did}/${site}`)
}

const selectWaitingOf = (kind: LimitedKind) =>
  preparedForList<Did, { did: Did; count: number }>((db, dids) =>
    db
      .selectFrom('workItems')
      .select(['did', ({ fn }) => fn.countAll<number>().as('count')])
      .where('kind', '=', kind)
      .where('did', 'in', dids)
      .groupBy('did'),
  )

const selectWaiting: Record<LimitedKind, ReturnType<typeof selectWaitingOf>> = {
  site: selectWaitingOf('site'),
  version: selectWaitingOf('version'),
}

/** The items that wait already, and as many others as the quota allows. */
async function withinQuota(
  db: Db,
  kind: LimitedKind,
  did: Did,
  asked: readonly LimitedItem[],
): Promise<LimitedItem[]> {
  const waiting = new Set<string>(await listQueued(db, kind, did))
  const others = asked.filter(({ site }) => !waiting.has(site))
  return [
    ...asked.filter(({ site }) => waiting.has(site)),
    ...others.slice(0, Math.max(0, waitingMax[kind] - waiting.size)),
  ]
}
