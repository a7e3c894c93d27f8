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

/** What there is of accounts that are here only because they were visited. */
export interface VisitedUsage {
  readonly accounts: number
  /** That their sites name, and that the snapshots take which name them. */
  readonly bytes: number
  /** Of accounts that were dropped not long ago: their blobs are still stored. */
  readonly leavingBytes: number
}

/**
 * Remembers an account that was visited by its address. If it is unknown, it may be dropped once the quota of visited
 * accounts is used up. One that is known for another reason stays; one that was deleted here is not remembered.
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

/** Somebody has just visited sites of these accounts. */
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

/** An account has signed in: it is remembered as `upsertAccount` does, and stays whether it is visited or not. */
export function rememberSignedIn(db: Db, account: KnownAccount, now: number): Promise<Account> {
  return inTransaction(db, async (transaction) => {
    await keepForGood(transaction, account.did)
    return await upsertAccount(transaction, account, now)
  })
}

/** There is another reason than visits to keep up with those of them that are here. */
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

/** There is another reason to keep up with everybody, also with those who were dropped and publish again. */
export async function keepAllForGood(db: Db): Promise<void> {
  await db.deleteFrom('visitedAccounts').execute()
}

/**
 * Makes an account that has sites known, as active, unless it was deleted here, or was dropped while it was read: the
 * next visit asks again. Returns whether it is known now.
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

/** `leavingSince`: what was dropped before is not stored any more. */
export async function visitedUsage(db: Db, leavingSince: number): Promise<VisitedUsage> {
  const named = await db
    .selectFrom('visitedAccounts')
    .innerJoin('versions', 'versions.did', 'visitedAccounts.did')
    .select(({ fn }) => [
      fn.sum<number | null>('versions.bytes').as('bytes'),
      // Neither store reads the text for that.
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
    .where('droppedAt', '>=', leavingSince)
    .executeTakeFirstOrThrow()
  return {
    accounts: Number(here.accounts),
    bytes: Number(named.bytes ?? 0) + Number(named.textBytes ?? 0),
    leavingBytes: Number(leaving.bytes ?? 0),
  }
}

/** Least recently visited first. */
export async function listLeastVisited(db: Db, limit: number): Promise<Did[]> {
  const rows = await db
    .selectFrom('visitedAccounts')
    .select('did')
    .where('droppedAt', 'is', null)
    .orderBy('visitedAt')
    .orderBy('did')
    .limit(limit)
    .execute()
  return rows.map(({ did }) => did)
}

/** Forgets a visited account with its sites. Null when it is not one (any more); else the bytes that its sites named. */
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

/** Those that turned out to have no sites, or not to be there. */
export async function deleteUnmetBefore(db: Db, before: number): Promise<void> {
  await db
    .deleteFrom('visitedAccounts')
    .where('visitedAt', '<', before)
    .where('droppedAt', 'is', null)
    .where('did', 'not in', (query) => query.selectFrom('accounts').select('did'))
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

/** Of accounts that were dropped before this time nothing is stored any more. */
export async function deleteDroppedBefore(db: Db, before: number): Promise<void> {
  await db.deleteFrom('visitedAccounts').where('droppedAt', '<', before).execute()
}

const visitedSubject = (did: Did): string => `visited ${did}`
