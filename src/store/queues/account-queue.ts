import { sql } from 'kysely'
import type { Did } from '#site/site-address.ts'
import { listAccounts } from '#store/accounts/accounts.ts'
import { chunksOf } from '#store/database/chunks.ts'
import type { Db } from '#store/database/database.ts'
import { distinctInOrder } from '#store/database/distinct-in-order.ts'
import { prepared, preparedForItems } from '#store/database/prepared.ts'
import { inSharedTransaction } from '#store/database/shared-transaction.ts'
import { storableText } from '#store/database/storable-text.ts'
import { isPostgres } from '#store/database/transaction.ts'
import { parkedAt } from './parked.ts'

/** An account to be looked at as a whole, leased to whoever took it. */
export interface AccountItem {
  readonly did: Did
  /** How often it was taken since it was last asked for, this time included. */
  readonly attempts: number
  /** Of the last time it was asked for. */
  readonly token: string
}

interface Asked {
  readonly now: number
  /** Something happened to just these accounts: they go before those that are looked at to be sure. */
  readonly isUrgent: boolean
}

/**
 * Asks for accounts to be looked at, now. Asking again while one is being looked at has it looked at once
 * more; what was urgent stays so.
 */
export async function enqueueAccounts(
  db: Db,
  dids: readonly Did[],
  { now, isUrgent }: Asked,
): Promise<void> {
  const rows = distinctInOrder(dids, String).map((did) => ({
    did,
    isUrgent: isUrgent ? (1 as const) : (0 as const),
    enqueuedAt: now,
    attempts: 0,
    nextAttemptAt: now,
    leasedUntil: 0,
    lastError: null,
    token: crypto.randomUUID(),
  }))
  for (const chunk of chunksOf(rows)) {
    await db
      .insertInto('accountQueue')
      .values(chunk)
      .onConflict((conflict) =>
        conflict.column('did').doUpdateSet(({ ref }) => ({
          attempts: 0,
          nextAttemptAt: now,
          lastError: null,
          token: ref('excluded.token'),
          ...(isUrgent && { isUrgent: 1 }),
        })),
      )
      .execute()
  }
}

/** Asks for every account that is known, page by page; all of them are in the queue when it resolves. */
export async function enqueueKnownAccounts(db: Db, now: number): Promise<number> {
  let count = 0
  let after: Did | undefined
  for (;;) {
    const page = await listAccounts(db, after === undefined ? {} : { after })
    const last = page.at(-1)
    if (last === undefined) return count
    await enqueueAccounts(
      db,
      page.map(({ did }) => did),
      { now, isUrgent: false },
    )
    count += page.length
    after = last.did
  }
}

/**
 * Asks for accounts that are not active, and of which nothing was learned since `before`, those first that were
 * looked at longest ago; not for those that are asked for already, or parked. Returns how many.
 */
export async function enqueueInactiveAccounts(
  db: Db,
  { before, limit, now }: { before: number; limit: number; now: number },
): Promise<number> {
  const rows = await db
    .selectFrom('accounts')
    .select('did')
    // Said in the statement, as in that of the index.
    .where('status', '!=', sql.lit('active'))
    .where('updatedAt', '<', before)
    .where('did', 'not in', (query) => query.selectFrom('accountQueue').select('did'))
    .orderBy('updatedAt')
    .limit(limit)
    .execute()
  const dids = rows.map(({ did }) => did)
  await enqueueAccounts(db, dids, { now, isUrgent: false })
  return dids.length
}

/** Accounts that are only visited, or not known at all; or the others. */
export type QueuedAccounts = 'strangers' | 'others'

interface TakeOptions {
  readonly now: number
  readonly leaseMs: number
  readonly limit: number
  readonly urgentOnly?: boolean
  /** Left out: all. */
  readonly of?: QueuedAccounts
}

/**
 * Takes up to `limit` accounts that are due, the urgent ones first. Nobody else gets them until they are
 * finished or retried, or `leaseMs` are over.
 */
export function takeDueAccounts(
  db: Db,
  { now, leaseMs, limit, urgentOnly = false, of }: TakeOptions,
): Promise<AccountItem[]> {
  return inSharedTransaction(db, async (transaction) => {
    const select = (urgentOnly ? selectUrgent : selectDue)[of ?? 'all']
    const { rows } = await select(transaction, { now, limit })
    await lease(transaction, rows, { leasedUntil: now + leaseMs })
    return rows.map((row) => ({ ...row, attempts: row.attempts + 1 }))
  })
}

const selectDueOf = (of: QueuedAccounts | undefined, urgencies: readonly (0 | 1)[]) =>
  prepared<{ now: number; limit: number }, AccountItem>((db, { now, limit }) => {
    const due = db
      .selectFrom('accountQueue')
      .select(['did', 'attempts', 'token'])
      .where('nextAttemptAt', '<=', now)
      .where('leasedUntil', '<=', now)
      .where('isUrgent', 'in', urgencies)
      // Not of one list of those who are known for good: it would be made anew each time, of all accounts.
      .$if(of === 'others', (rows) =>
        rows.where('did', 'in', known(db)).where('did', 'not in', visitedOnly(db)),
      )
      .$if(of === 'strangers', (rows) =>
        rows.where(({ eb, or }) =>
          or([eb('did', 'not in', known(db)), eb('did', 'in', visitedOnly(db))]),
        ),
      )
      .orderBy('isUrgent', 'desc')
      .orderBy('nextAttemptAt')
      .orderBy('did')
      .limit(limit)
    return isPostgres(db) ? due.forUpdate().skipLocked() : due
  })

const known = (db: Db) => db.selectFrom('accounts').select('did')

const visitedOnly = (db: Db) =>
  db.selectFrom('visitedAccounts').select('did').where('droppedAt', 'is', null)

const statementsOf = (urgencies: readonly (0 | 1)[]) => ({
  strangers: selectDueOf('strangers', urgencies),
  others: selectDueOf('others', urgencies),
  all: selectDueOf(undefined, urgencies),
})
const selectDue = statementsOf([0, 1])
const selectUrgent = statementsOf([1])

const lease = preparedForItems<{ did: Did }, { leasedUntil: number }, unknown>(
  (db, accounts, { leasedUntil }) =>
    db
      .updateTable('accountQueue')
      .set(({ eb }) => ({ leasedUntil, attempts: eb('attempts', '+', 1) }))
      .where(
        'did',
        'in',
        accounts.map(({ did }) => did),
      ),
)

/** Whether one that is urgent is due and nobody has taken it. */
export async function isAccountDue(db: Db, now: number): Promise<boolean> {
  const due = db
    .selectFrom('accountQueue')
    .select('did')
    .where('isUrgent', '=', 1)
    .where('nextAttemptAt', '<=', now)
    .where('leasedUntil', '<=', now)
    .limit(1)
  return (await due.executeTakeFirst()) !== undefined
}

/** Keeps a taken account for `leaseMs` from now; nothing when it was finished or retried meanwhile. */
export async function renewAccountLease(
  db: Db,
  { did }: AccountItem,
  { now, leaseMs }: { now: number; leaseMs: number },
): Promise<void> {
  await db
    .updateTable('accountQueue')
    .set({ leasedUntil: now + leaseMs })
    .where('did', '=', did)
    .where('leasedUntil', '>', 0)
    .execute()
}

/** The account is done. If it was asked for again meanwhile, it is due at once instead. */
export function finishAccount(db: Db, { did, token }: AccountItem): Promise<void> {
  return inSharedTransaction(db, async (transaction) => {
    const { numAffectedRows } = await deleteItem(transaction, { did, token })
    if (numAffectedRows === 0n) await endLease(transaction, did)
  })
}

const deleteItem = prepared<Pick<AccountItem, 'did' | 'token'>, unknown>((db, { did, token }) =>
  db.deleteFrom('accountQueue').where('did', '=', did).where('token', '=', token),
)

/**
 * It failed: it is due again `at` that time (null: it is parked until it is asked for), or at once if it was
 * asked for again meanwhile: false.
 */
export function retryAccount(
  db: Db,
  { did, token }: AccountItem,
  { at, error }: { at: number | null; error: string | null },
): Promise<boolean> {
  return inSharedTransaction(db, async (transaction) => {
    await endLease(transaction, did)
    const { numUpdatedRows } = await transaction
      .updateTable('accountQueue')
      .set({ nextAttemptAt: at ?? parkedAt, lastError: error && storableText(error) })
      .where('did', '=', did)
      .where('token', '=', token)
      .executeTakeFirstOrThrow()
    return numUpdatedRows > 0n
  })
}

/**
 * Of parked accounts that are not known, `keep` stay, those that were asked for last: whoever makes accounts up makes
 * up as many as they like.
 */
export async function forgetParkedStrangers(db: Db, keep: number): Promise<void> {
  const kept = db
    .selectFrom('accountQueue')
    .select('did')
    .where('nextAttemptAt', '=', parkedAt)
    .where('did', 'not in', known(db))
    .orderBy('enqueuedAt', 'desc')
    .orderBy('did')
    .limit(keep)
  await db
    .deleteFrom('accountQueue')
    .where('nextAttemptAt', '=', parkedAt)
    .where('did', 'not in', known(db))
    .where('did', 'not in', kept)
    .execute()
}

/** Whether it waits to be looked at, or is being looked at. */
export async function isAccountQueued(db: Db, did: Did): Promise<boolean> {
  const row = db.selectFrom('accountQueue').select('did').where('did', '=', did)
  return (await row.executeTakeFirst()) !== undefined
}

async function endLease(db: Db, did: Did): Promise<void> {
  await db.updateTable('accountQueue').set({ leasedUntil: 0 }).where('did', '=', did).execute()
}
