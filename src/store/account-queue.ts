import type { Did } from '#site/site-address.ts'
import { listAccounts } from './accounts.ts'
import { chunksOf } from './chunks.ts'
import type { Db } from './database.ts'
import { distinctInOrder } from './distinct-in-order.ts'
import { storableText } from './storable-text.ts'
import { inTransaction, isPostgres } from './transaction.ts'

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

interface TakeOptions {
  readonly now: number
  readonly leaseMs: number
  readonly limit: number
  readonly urgentOnly?: boolean
}

/**
 * Takes up to `limit` accounts that are due, the urgent ones first. Nobody else gets them until they are
 * finished or retried, or `leaseMs` are over.
 */
export function takeDueAccounts(
  db: Db,
  { now, leaseMs, limit, urgentOnly = false }: TakeOptions,
): Promise<AccountItem[]> {
  return inTransaction(db, async (transaction) => {
    const due = transaction
      .selectFrom('accountQueue')
      .select(['did', 'attempts', 'token'])
      .where('nextAttemptAt', '<=', now)
      .where('leasedUntil', '<=', now)
      .where('isUrgent', 'in', urgentOnly ? [1] : [0, 1])
      .orderBy('isUrgent', 'desc')
      .orderBy('nextAttemptAt')
      .orderBy('did')
      .limit(limit)
    const rows = await (isPostgres(db) ? due.forUpdate().skipLocked() : due).execute()
    if (rows.length === 0) return []
    const dids = rows.map(({ did }) => did)
    await transaction
      .updateTable('accountQueue')
      .set(({ eb }) => ({ leasedUntil: now + leaseMs, attempts: eb('attempts', '+', 1) }))
      .where('did', 'in', dids)
      .execute()
    return rows.map((row) => ({ ...row, attempts: row.attempts + 1 }))
  })
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
  return inTransaction(db, async (transaction) => {
    const { numDeletedRows } = await transaction
      .deleteFrom('accountQueue')
      .where('did', '=', did)
      .where('token', '=', token)
      .executeTakeFirstOrThrow()
    if (numDeletedRows === 0n) await endLease(transaction, did)
  })
}

/** It failed: it is due again `at` that time, or at once if it was asked for again meanwhile. */
export function retryAccount(
  db: Db,
  { did, token }: AccountItem,
  { at, error }: { at: number; error: string },
): Promise<void> {
  return inTransaction(db, async (transaction) => {
    await endLease(transaction, did)
    await transaction
      .updateTable('accountQueue')
      .set({ nextAttemptAt: at, lastError: storableText(error) })
      .where('did', '=', did)
      .where('token', '=', token)
      .execute()
  })
}

/** Waiting or being looked at. */
export async function countQueuedAccounts(db: Db): Promise<number> {
  const { count } = await db
    .selectFrom('accountQueue')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count
}

async function endLease(db: Db, did: Did): Promise<void> {
  await db.updateTable('accountQueue').set({ leasedUntil: 0 }).where('did', '=', did).execute()
}
