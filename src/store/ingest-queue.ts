import type { SiteAddress } from '#site/site-address.ts'
import { chunksOf } from './chunks.ts'
import type { Db } from './database.ts'
import { distinctInOrder } from './distinct-in-order.ts'
import { storableText } from './storable-text.ts'
import { inTransaction, isPostgres } from './transaction.ts'

/** A site to be looked at, leased to whoever took it. */
export interface IngestItem extends SiteAddress {
  /** When somebody first asked for it. */
  readonly enqueuedAt: number
  /** How often it was taken since it was last asked for, this time included. */
  readonly attempts: number
  /** Of the last time it was asked for. */
  readonly token: string
}

/**
 * Asks for sites to be looked at, now. Asking again while one is being looked at has it looked at
 * once more.
 */
export async function enqueueIngest(
  db: Db,
  sites: readonly SiteAddress[],
  now: number,
): Promise<void> {
  const rows = distinctInOrder(sites, ({ did, name }) => `${did}/${name}`).map(({ did, name }) => ({
    did,
    name,
    enqueuedAt: now,
    attempts: 0,
    nextAttemptAt: now,
    leasedUntil: 0,
    lastError: null,
    token: crypto.randomUUID(),
  }))
  for (const chunk of chunksOf(rows)) {
    await db
      .insertInto('ingestQueue')
      .values(chunk)
      .onConflict((conflict) =>
        conflict.columns(['did', 'name']).doUpdateSet(({ ref }) => ({
          attempts: 0,
          nextAttemptAt: now,
          lastError: null,
          token: ref('excluded.token'),
        })),
      )
      .execute()
  }
}

/**
 * Takes due sites of up to `limit` accounts, one of each, those first who have waited longest: however
 * much one account has to be looked at, the others go on. Nobody else gets them, nor others of these
 * accounts, until they are finished or retried, or `leaseMs` are over.
 */
export function takeDueIngest(
  db: Db,
  { now, leaseMs, limit }: { now: number; leaseMs: number; limit: number },
): Promise<IngestItem[]> {
  return inTransaction(db, async (transaction) => {
    const due = transaction
      .selectFrom('ingestQueue')
      .where('nextAttemptAt', '<=', now)
      .where('leasedUntil', '<=', now)
    const accounts = await due
      .select('did')
      .where('did', 'not in', (query) =>
        query.selectFrom('ingestQueue').select('did').where('leasedUntil', '>', now),
      )
      .groupBy('did')
      .orderBy(({ fn }) => fn.min('nextAttemptAt'))
      .orderBy('did')
      .limit(limit)
      .execute()
    const taken: IngestItem[] = []
    for (const { did } of accounts) {
      const oldest = due
        .select(['did', 'name', 'enqueuedAt', 'attempts', 'token'])
        .where('did', '=', did)
        .orderBy('nextAttemptAt')
        .orderBy('name')
        .limit(1)
      const row = await (isPostgres(db)
        ? oldest.forUpdate().skipLocked()
        : oldest
      ).executeTakeFirst()
      if (row === undefined) continue
      await lease(transaction, row, now + leaseMs)
      taken.push({ ...row, attempts: row.attempts + 1 })
    }
    return taken
  })
}

async function lease(db: Db, { did, name }: SiteAddress, leasedUntil: number): Promise<void> {
  await db
    .updateTable('ingestQueue')
    .set(({ eb }) => ({ leasedUntil, attempts: eb('attempts', '+', 1) }))
    .where('did', '=', did)
    .where('name', '=', name)
    .execute()
}

/** Keeps a taken item for `leaseMs` from now; nothing when it was finished or retried meanwhile. */
export async function renewIngestLease(
  db: Db,
  { did, name }: IngestItem,
  { now, leaseMs }: { now: number; leaseMs: number },
): Promise<void> {
  await db
    .updateTable('ingestQueue')
    .set({ leasedUntil: now + leaseMs })
    .where('did', '=', did)
    .where('name', '=', name)
    .where('leasedUntil', '>', 0)
    .execute()
}

/** The item is done. If it was asked for again meanwhile, it is due at once instead. */
export function finishIngest(db: Db, { did, name, token }: IngestItem): Promise<void> {
  return inTransaction(db, async (transaction) => {
    const { numDeletedRows } = await transaction
      .deleteFrom('ingestQueue')
      .where('did', '=', did)
      .where('name', '=', name)
      .where('token', '=', token)
      .executeTakeFirstOrThrow()
    if (numDeletedRows === 0n) await endLease(transaction, { did, name })
  })
}

/**
 * The item failed: it is due again `at` that time, or at once if it was asked for again meanwhile.
 */
export function retryIngest(
  db: Db,
  { did, name, token }: IngestItem,
  { at, error }: { at: number; error: string },
): Promise<void> {
  return inTransaction(db, async (transaction) => {
    await endLease(transaction, { did, name })
    await transaction
      .updateTable('ingestQueue')
      .set({ nextAttemptAt: at, lastError: storableText(error) })
      .where('did', '=', did)
      .where('name', '=', name)
      .where('token', '=', token)
      .execute()
  })
}

/** When the next item is due, which may be past; null when there is none. */
export async function nextIngestAt(db: Db): Promise<number | null> {
  const { at } = await db
    .selectFrom('ingestQueue')
    .select(({ fn, eb, ref }) =>
      fn
        .min(
          eb
            .case()
            .when('leasedUntil', '>', ref('nextAttemptAt'))
            .then(ref('leasedUntil'))
            .else(ref('nextAttemptAt'))
            .end(),
        )
        .as('at'),
    )
    .executeTakeFirstOrThrow()
  return at
}

/** Waiting or being looked at. */
export async function countIngest(db: Db): Promise<number> {
  const { count } = await db
    .selectFrom('ingestQueue')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count
}

const awaitedAttemptsMax = 3

/**
 * The sites that were asked for last and may be here in a moment: not those that failed several times,
 * were removed by their owner, or are hidden with their account.
 */
export async function listAwaitedSites(db: Db, limit: number): Promise<SiteAddress[]> {
  return await db
    .selectFrom('ingestQueue')
    .leftJoin('accounts', 'accounts.did', 'ingestQueue.did')
    .leftJoin('sites', (join) =>
      join.onRef('sites.did', '=', 'ingestQueue.did').onRef('sites.name', '=', 'ingestQueue.name'),
    )
    .select(['ingestQueue.did', 'ingestQueue.name'])
    .where('attempts', '<', awaitedAttemptsMax)
    .where('sites.removedRev', 'is', null)
    .where((where) =>
      where.or([where('accounts.status', 'is', null), where('accounts.status', '=', 'active')]),
    )
    .orderBy('enqueuedAt', 'desc')
    .orderBy('ingestQueue.did')
    .orderBy('ingestQueue.name')
    .limit(limit)
    .execute()
}

async function endLease(db: Db, { did, name }: SiteAddress): Promise<void> {
  await db
    .updateTable('ingestQueue')
    .set({ leasedUntil: 0 })
    .where('did', '=', did)
    .where('name', '=', name)
    .execute()
}
