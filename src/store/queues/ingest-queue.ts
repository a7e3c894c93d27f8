import { type InsertObject, type RawBuilder, sql } from 'kysely'
import type { Did, SiteAddress } from '#site/site-address.ts'
import { chunksOf } from '#store/database/chunks.ts'
import type { Db } from '#store/database/database.ts'
import { distinctInOrder } from '#store/database/distinct-in-order.ts'
import { prepared, preparedForItems } from '#store/database/prepared.ts'
import type { Schema } from '#store/database/schema.ts'
import { inSharedTransaction } from '#store/database/shared-transaction.ts'
import { storableText } from '#store/database/storable-text.ts'
import { isPostgres } from '#store/database/transaction.ts'
import { admittedAmong } from './ingest-room.ts'
import { parkedAt } from './parked.ts'

/** A site to be looked at, leased to whoever took it. */
export interface IngestItem extends SiteAddress {
  /** When somebody first asked for it. */
  readonly enqueuedAt: number
  /** How often it was taken since it was last asked for, this time included. */
  readonly attempts: number
  /** Of the last time it was asked for. */
  readonly token: string
  /** The account's server, as the account was last checked. */
  readonly pds: string | null
}

/**
 * Asks for sites to be looked at, now. Asking again while one is being looked at has it looked at
 * once more. What failed a moment ago is due no sooner than its last attempt allows, and what waits in a line keeps its place. Of an account `accountSitesMax` wait at most; returns how many were left out for that.
 */
export async function enqueueIngest(
  db: Db,
  sites: readonly SiteAddress[],
  now: number,
): Promise<number> {
  const asked = distinctInOrder(sites, ({ did, name }) => `${did}/${name}`)
  const admitted = await admittedAmong(db, asked)
  const rows = admitted.map(({ did, name }) => ({
    ...{ did, name, token: crypto.randomUUID(), enqueuedAt: now, nextAttemptAt: now },
    ...{ attempts: 0, leasedUntil: 0, lastError: null, line: null },
  }))
  const [row] = rows
  if (row !== undefined && rows.length === 1) await insertItem(db, row)
  else for (const chunk of chunksOf(rows)) await insertItems(db, chunk).execute()
  return asked.length - admitted.length
}

const insertItems = (db: Db, rows: readonly InsertObject<Schema, 'ingestQueue'>[]) =>
  db
    .insertInto('ingestQueue')
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(['did', 'name']).doUpdateSet(({ eb, ref }) => ({
        // What was given up begins anew.
        attempts: eb
          .case()
          .when('ingestQueue.nextAttemptAt', '=', sql.lit(parkedAt))
          .then(sql.lit(0))
          .else(ref('ingestQueue.attempts'))
          .end(),
        nextAttemptAt: eb
          .case()
          .when('ingestQueue.line', 'is not', null)
          .then(ref('ingestQueue.nextAttemptAt'))
          .when('ingestQueue.notBefore', '>', ref('excluded.nextAttemptAt'))
          .then(ref('ingestQueue.notBefore'))
          .else(ref('excluded.nextAttemptAt'))
          .end(),
        lastError: null,
        token: ref('excluded.token'),
      })),
    )

const insertItem = prepared<
  SiteAddress & { token: string; enqueuedAt: number; nextAttemptAt: number },
  unknown
>((db, { did, name, token, enqueuedAt, nextAttemptAt }) =>
  insertItems(db, [
    {
      ...{ did, name, token, enqueuedAt, nextAttemptAt },
      ...{ attempts: 0, leasedUntil: 0, lastError: null, line: null },
    },
  ]),
)

/** Rows that are looked through for so many different accounts before all rows are. */
const rowsPerAccount = 4

/** Whose sites: of accounts that are only visited, or of all others. Left out: of everybody. */
export type IngestOwners = 'visited' | 'others'

/** A statement for each answer to whose sites they are. */
function byOwners<Statement>(make: (of: IngestOwners | undefined) => Statement) {
  return { visited: make('visited'), others: make('others'), all: make(undefined) }
}

interface TakeOptions {
  readonly now: number
  readonly leaseMs: number
  readonly limit: number
  readonly of?: IngestOwners | undefined
  /** Left out: what is in no line. */
  readonly line?: string | undefined
}

/**
 * Takes due sites of up to `limit` accounts, one of each, those first who have waited longest: however
 * much one account has to be looked at, the others go on. Nobody else gets them, nor others of these
 * accounts, until they are finished or retried, or `leaseMs` are over.
 */
export function takeDueIngest(
  db: Db,
  { now, leaseMs, limit, of, line }: TakeOptions,
): Promise<IngestItem[]> {
  return inSharedTransaction(db, async (transaction) => {
    const dids = await dueAccounts(transaction, { now, limit, of, line })
    if (dids.length === 0) return []
    const accounts = dids.map((did) => ({ did }))
    const rows =
      line === undefined
        ? await selectRows[of ?? 'all'](transaction, accounts, { now })
        : await selectRowsInLine[of ?? 'all'](transaction, accounts, { now, line })
    const oldest = new Map(rows.toReversed().map((row) => [row.did, row]))
    const taken = dids.flatMap((did) => oldest.get(did) ?? [])
    await lease(transaction, taken, { leasedUntil: now + leaseMs })
    return taken.map((row) => ({ ...row, attempts: row.attempts + 1 }))
  })
}

type Line = string | RawBuilder<string> | undefined

const dueRows = (
  db: Db,
  now: number | RawBuilder<number>,
  of: IngestOwners | undefined,
  line: Line,
) => freeRows(db, now, of, line).where('nextAttemptAt', '<=', now).where('leasedUntil', '<=', now)

/** Of accounts of which nothing is taken. */
const freeRows = (
  db: Db,
  now: number | RawBuilder<number>,
  of: IngestOwners | undefined,
  line: Line,
) =>
  db
    .selectFrom('ingestQueue')
    .$if(line === undefined, (rows) => rows.where('line', 'is', null))
    .$if(line !== undefined, (rows) => rows.where('line', '=', line as string))
    .where('did', 'not in', (query) =>
      query
        .selectFrom('ingestQueue')
        .select('did')
        // Said in the statement: there is an index of those that were taken, and of no others.
        .where('leasedUntil', '>', sql.lit(0))
        .where('leasedUntil', '>', now),
    )
    .$if(of !== undefined, (rows) =>
      rows.where('did', of === 'visited' ? 'in' : 'not in', (query) =>
        query.selectFrom('visitedAccounts').select('did').where('droppedAt', 'is', null),
      ),
    )

/** In the order of their oldest rows: mostly those of the oldest rows of all. */
async function dueAccounts(
  db: Db,
  { now, limit, of, line }: Omit<TakeOptions, 'leaseMs'>,
): Promise<Did[]> {
  const rowsMax = limit * rowsPerAccount
  const { rows } =
    line === undefined
      ? await selectDue[of ?? 'all'](db, { now, limit: rowsMax })
      : await selectDueInLine[of ?? 'all'](db, { now, limit: rowsMax, line })
  const dids = [...new Set(rows.map(({ did }) => did))]
  if (dids.length >= limit || rows.length < rowsMax) return dids.slice(0, limit)
  const accounts = await dueRows(db, now, of, line)
    .select('did')
    .groupBy('did')
    .orderBy(({ fn }) => fn.min('nextAttemptAt'))
    .orderBy('did')
    .limit(limit)
    .execute()
  return accounts.map(({ did }) => did)
}

const selectDueOf = (of: IngestOwners | undefined) =>
  prepared<{ now: number; limit: number }, { did: Did }>((db, { now, limit }) =>
    dueRows(db, now, of, undefined)
      .select('did')
      .orderBy('nextAttemptAt')
      .orderBy('did')
      .limit(limit),
  )

const selectDue = byOwners(selectDueOf)

const selectDueInLine = byOwners((of) =>
  prepared<{ now: number; limit: number; line: string }, { did: Did }>((db, { now, limit, line }) =>
    dueRows(db, now, of, line).select('did').orderBy('nextAttemptAt').orderBy('did').limit(limit),
  ),
)

type DueRows = ReturnType<typeof dueRows>

function itemsOf(db: Db, rows: DueRows, accounts: readonly { did: Did | RawBuilder<Did> }[]) {
  const due = rows
    .select(['did', 'name', 'enqueuedAt', 'attempts', 'token'])
    .select(({ selectFrom }) =>
      selectFrom('accounts')
        .select('pds')
        .whereRef('accounts.did', '=', 'ingestQueue.did')
        .as('pds'),
    )
    .where(
      'did',
      'in',
      accounts.map(({ did }) => did),
    )
    .orderBy('nextAttemptAt')
    .orderBy('name')
  return isPostgres(db) ? due.forUpdate().skipLocked() : due
}

const selectRows = byOwners((of) =>
  preparedForItems<{ did: Did }, { now: number }, IngestItem>((db, accounts, { now }) =>
    itemsOf(db, dueRows(db, now, of, undefined), accounts),
  ),
)

const selectRowsInLine = byOwners((of) =>
  preparedForItems<{ did: Did }, { now: number; line: string }, IngestItem>(
    (db, accounts, { now, line }) => itemsOf(db, dueRows(db, now, of, line), accounts),
  ),
)

const lease = preparedForItems<SiteAddress, { leasedUntil: number }, unknown>(
  (db, sites, { leasedUntil }) =>
    db
      .updateTable('ingestQueue')
      .set(({ eb }) => ({ leasedUntil, attempts: eb('attempts', '+', 1) }))
      .where(({ eb, refTuple, tuple }) =>
        eb(
          refTuple('did', 'name'),
          'in',
          sites.map(({ did, name }) => tuple(did, name)),
        ),
      ),
)

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

/** The item is done. If it was asked for again meanwhile, it is due at once instead, as if for the first time. */
export function finishIngest(db: Db, { did, name, token }: IngestItem): Promise<void> {
  return inSharedTransaction(db, async (transaction) => {
    const { numAffectedRows } = await deleteItem(transaction, { did, name, token })
    if (numAffectedRows !== 0n) return
    await endLease(transaction, { did, name }).set({ attempts: 0 }).execute()
  })
}

const deleteItem = prepared<Pick<IngestItem, 'did' | 'name' | 'token'>, unknown>(
  (db, { did, name, token }) =>
    db
      .deleteFrom('ingestQueue')
      .where('did', '=', did)
      .where('name', '=', name)
      .where('token', '=', token),
)

interface RetryLater {
  /** Null: it is parked until it is asked for. */
  readonly at: number | null
  readonly error: string | null
  /** The attempt does not count. */
  readonly isFree?: boolean
  /** It is due no earlier, whoever asks for it. */
  readonly notBefore?: number
}

/** The item failed: it is due again `at` that time, or at `notBefore` if it was asked for again meanwhile: false. */
export function retryIngest(
  db: Db,
  { did, name, token }: IngestItem,
  { at, error, isFree = false, notBefore = 0 }: RetryLater,
): Promise<boolean> {
  return inSharedTransaction(db, async (transaction) => {
    await endLease(transaction, { did, name })
      .set(({ eb, ref }) => ({
        notBefore,
        nextAttemptAt: eb
          .case()
          .when('nextAttemptAt', '<', notBefore)
          .then(notBefore)
          .else(ref('nextAttemptAt'))
          .end(),
        ...(isFree && { attempts: eb('attempts', '-', 1) }),
      }))
      .execute()
    const { numUpdatedRows } = await transaction
      .updateTable('ingestQueue')
      .set({ nextAttemptAt: at ?? parkedAt, lastError: error && storableText(error) })
      .where('did', '=', did)
      .where('name', '=', name)
      .where('token', '=', token)
      .executeTakeFirstOrThrow()
    return numUpdatedRows > 0n
  })
}

/**
 * When `takeDueIngest` may find something next that is in no line, which may be past; null when there is nothing. What waits for
 * another site of its account is not due before that one's lease is over: whoever finishes it says so.
 */
export async function nextIngestAt(
  db: Db,
  { now, of }: Pick<TakeOptions, 'now' | 'of'>,
): Promise<number | null> {
  const free = await selectFree[of ?? 'all'](db, { now })
  const leased = await selectLeased(db, { now })
  const times = [...free.rows, ...leased.rows].flatMap(({ at }) => at ?? [])
  return times.length === 0 ? null : Math.min(...times)
}

const selectFree = byOwners((of) =>
  prepared<{ now: number }, { at: number | null }>((db, { now }) =>
    freeRows(db, now, of, undefined).select(({ fn }) => fn.min('nextAttemptAt').as('at')),
  ),
)

const selectLeased = prepared<{ now: number }, { at: number | null }>((db, { now }) =>
  db
    .selectFrom('ingestQueue')
    .where('leasedUntil', '>', sql.lit(0))
    .where('leasedUntil', '>', now)
    .select(({ fn }) => fn.min('leasedUntil').as('at')),
)

/** Accounts with sites that are due or looked at, in no line, and did not fail the last time. */
export async function countDueAccounts(db: Db, now: number): Promise<number> {
  const { rows } = await selectDueAccounts(db, { now })
  return rows[0]?.count ?? 0
}

const selectDueAccounts = prepared<{ now: number }, { count: number }>((db, { now }) =>
  db
    .selectFrom('ingestQueue')
    .where('nextAttemptAt', '<=', now)
    .where('lastError', 'is', null)
    .where('line', 'is', null)
    .select(({ fn }) => fn.count<number>('did').distinct().as('count')),
)

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

const endLease = (db: Db, { did, name }: SiteAddress) =>
  db
    .updateTable('ingestQueue')
    .set({ leasedUntil: 0, line: null })
    .where('did', '=', did)
    .where('name', '=', name)
