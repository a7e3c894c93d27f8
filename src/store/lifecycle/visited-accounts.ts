import { sql } from 'kysely'
import type { Did } from '#site/site-address.ts'
import {
  type Account,
  isKnownAccount,
  type KnownAccount,
  upsertAccount,
} from '#store/accounts/accounts.ts'
import { isDeletedHere, lockUnlessDeletedHere } from '#store/accounts/deleted-here.ts'
import { chunksOf } from '#store/database/chunks.ts'
import type { Db } from '#store/database/database.ts'
import { prepared } from '#store/database/prepared.ts'
import { inTransaction, lockUntilCommit } from '#store/database/transaction.ts'
import { removeIndexRows } from './remove-account.ts'

/** How much of the quota visited accounts use: accounts that are known only because somebody visited them. */
export interface VisitedUsage {
  readonly accounts: number
  /** Of the files that their sites name, and of their snapshots. */
  readonly bytes: number
  /** Of recently dropped accounts, whose blobs are still stored. */
  readonly droppedBytes: number
}

/**
 * Remembers that an account's address was visited. An unknown account may be dropped once the quota of visited accounts is
 * used up; one that is known for another reason stays. Ignores an account that was deleted here.
 */
export function rememberVisited(db: Db, did: Did, now: number): Promise<void> {
  return inTransaction(db, async (transaction) => {
    await lockUntilCommit(transaction, visitedSubject(did))
    const met = { visitedAt: now, droppedAt: null, droppedBytes: 0 }
    if (await isDeletedHere(transaction, did)) return
    if (await isKnownAccount(transaction, did)) return await touchVisited(transaction, [did], now)
    await transaction
      .insertInto('visitedAccounts')
      .values({ did, ...met })
      .onConflict((conflict) => conflict.column('did').doUpdateSet(met))
      .execute()
  })
}

/** Stores the time of a visit to sites of these accounts. */
export async function touchVisited(db: Db, dids: readonly Did[], now: number): Promise<void> {
  for (const chunk of chunksOf([...new Set(dids)].sort())) {
    await db
      .updateTable('visitedAccounts')
      .set({ visitedAt: now })
      .where('did', 'in', chunk)
      .where('droppedAt', 'is', null)
      .execute()
  }
}

/** Remembers an account that has signed in, as `upsertAccount` does: it stays even if nobody visits it. */
export function rememberSignedIn(db: Db, account: KnownAccount, now: number): Promise<Account> {
  return inTransaction(db, async (transaction) => {
    await keepForGood(transaction, account.did)
    return await upsertAccount(transaction, account, now)
  })
}

/** Makes visited accounts among these stay: there is another reason to keep them. */
export async function keepListedForGood(db: Db, dids: readonly Did[]): Promise<void> {
  for (const chunk of chunksOf([...new Set(dids)].sort())) {
    const visited = db.selectFrom('visitedAccounts').select('did').where('did', 'in', chunk)
    for (const { did } of await visited.execute()) await keepForGood(db, did)
  }
}

function keepForGood(db: Db, did: Did): Promise<void> {
  return inTransaction(db, async (transaction) => {
    await lockUntilCommit(transaction, visitedSubject(did))
    await transaction.deleteFrom('visitedAccounts').where('did', '=', did).execute()
  })
}

/** Makes all visited accounts stay, dropped ones that publish again included. */
export async function keepAllForGood(db: Db): Promise<void> {
  await db.deleteFrom('visitedAccounts').execute()
}

/**
 * Adds an account that has sites, as active, unless it was deleted here or was dropped while it was read: the next visit
 * asks again. Returns whether it is known now.
 */
export function discoverAccount(db: Db, account: KnownAccount, now: number): Promise<boolean> {
  return inTransaction(db, async (transaction) => {
    const { did } = account
    if (!(await lockUnlessDeletedHere(transaction, did))) return false
    if (await isKnownAccount(transaction, did)) return true
    if (await wasDropped(transaction, did)) return false
    await upsertAccount(transaction, account, now)
    return true
  })
}

async function wasDropped(db: Db, did: Did): Promise<boolean> {
  const row = db.selectFrom('visitedAccounts').select('did').where('did', '=', did)
  return (await row.where('droppedAt', 'is not', null).executeTakeFirst()) !== undefined
}

export async function isVisitedOnly(db: Db, did: Did): Promise<boolean> {
  const { rows } = await selectVisited(db, { did })
  return rows.length > 0
}

const selectVisited = prepared<{ did: Did }, object>((db, { did }) =>
  db
    .selectFrom('visitedAccounts')
    .select('did')
    .where('did', '=', did)
    .where('droppedAt', 'is', null),
)

/** `droppedSince`: the blobs of accounts that were dropped earlier are no longer stored. */
export async function visitedUsage(db: Db, droppedSince: number): Promise<VisitedUsage> {
  const named = await db
    .selectFrom('visitedAccounts')
    .innerJoin('versions', 'versions.did', 'visitedAccounts.did')
    .select(({ fn }) => [
      fn.sum<number | null>('versions.bytes').as('bytes'),
      // Neither database reads the text for its length.
      fn.sum<number | null>(sql`octet_length(versions.snapshot)`).as('textBytes'),
    ])
    .where('droppedAt', 'is', null)
    .where('versions.snapshot', 'is not', null)
    .executeTakeFirstOrThrow()
  const here = await db
    .selectFrom('visitedAccounts')
    .select(({ fn }) => fn.countAll<number>().as('accounts'))
    .where('droppedAt', 'is', null)
    .executeTakeFirstOrThrow()
  const leaving = await db
    .selectFrom('visitedAccounts')
    .select(({ fn }) => fn.sum<number | null>('droppedBytes').as('bytes'))
    .where('droppedAt', '>=', droppedSince)
    .executeTakeFirstOrThrow()
  return {
    accounts: Number(here.accounts),
    bytes: Number(named.bytes ?? 0) + Number(named.textBytes ?? 0),
    droppedBytes: Number(leaving.bytes ?? 0),
  }
}

/** Those that were not met, which strangers may have made up, then the least recently visited. */
export async function listLeastVisited(db: Db, limit: number): Promise<Did[]> {
  const rows = await db
    .selectFrom('visitedAccounts')
    .leftJoin('accounts', 'accounts.did', 'visitedAccounts.did')
    .select('visitedAccounts.did')
    .where('droppedAt', 'is', null)
    .orderBy(sql`accounts.did is not null`)
    .orderBy('visitedAt')
    .orderBy('visitedAccounts.did')
    .limit(limit)
    .execute()
  return rows.map(({ did }) => did)
}

/** Drops a visited account with its sites, and returns the bytes that they named; null: it is not a visited one (any more). */
export function dropVisited(db: Db, did: Did, now: number): Promise<number | null> {
  return inTransaction(db, async (transaction) => {
    if (!(await lockUnlessDeletedHere(transaction, did))) return null
    await lockUntilCommit(transaction, visitedSubject(did))
    if (!(await isVisitedOnly(transaction, did))) return null
    const { bytes } = await transaction
      .selectFrom('versions')
      .select(sql<number>`coalesce(sum(bytes), 0)`.as('bytes'))
      .where('did', '=', did)
      .where('snapshot', 'is not', null)
      .executeTakeFirstOrThrow()
    await transaction
      .updateTable('visitedAccounts')
      .set({ droppedAt: now, droppedBytes: Number(bytes) })
      .where('did', '=', did)
      .execute()
    await removeIndexRows(transaction, did, now)
    return Number(bytes)
  })
}

/** Deletes visited accounts that have no sites or do not exist. */
export async function deleteUnmetBefore(db: Db, before: number): Promise<void> {
  await db
    .deleteFrom('visitedAccounts')
    .where('visitedAt', '<', before)
    .where('droppedAt', 'is', null)
    .where('did', 'not in', db.selectFrom('accounts').select('did'))
    // Correlated: the queue may hold every account of the network, and its index finds the few that matter.
    .where(({ exists, not, selectFrom }) =>
      not(
        exists(
          selectFrom('workItems')
            .select('did')
            .whereRef('workItems.did', '=', 'visitedAccounts.did')
            .where('kind', '=', 'account'),
        ),
      ),
    )
    .execute()
}

/** For dropped accounts whose blobs are no longer stored. */
export async function deleteDroppedBefore(db: Db, before: number): Promise<void> {
  await db.deleteFrom('visitedAccounts').where('droppedAt', '<', before).execute()
}

const visitedSubject = (did: Did): string => `visited ${did}`
