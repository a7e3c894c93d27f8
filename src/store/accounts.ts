import type { RawBuilder, Selectable, Transaction } from 'kysely'
import type { Did } from '#site/site-address.ts'
import { appendChange } from './changes.ts'
import type { Db } from './database.ts'
import { isGone } from './departures.ts'
import { preparedForList } from './prepared.ts'
import type { AccountStatus, Schema } from './schema.ts'
import { inTransaction, lockUntilCommit } from './transaction.ts'

export type Account = Readonly<Selectable<Schema['accounts']>>

export interface KnownAccount {
  readonly did: Did
  /** That leads to it; to nobody else from then on. Left out: what is known stays. Null: it has none. */
  readonly handle?: string | null
  /** The origin of the account's server. Left out: what is known stays. */
  readonly pds?: string | null
}

/**
 * Remembers an account; a new one is active. The status of a known one changes by
 * `setAccountStatus` only.
 */
export function upsertAccount(db: Db, account: KnownAccount, now: number): Promise<Account> {
  const news = { ...account, updatedAt: now }
  return inTransaction(db, async (transaction) => {
    await takeFromOthers(transaction, account)
    return await transaction
      .insertInto('accounts')
      .values({
        ...{ handle: null, pds: null, ...news },
        ...{ status: 'active', statusSince: now, createdAt: now },
      })
      .onConflict((conflict) => conflict.column('did').doUpdateSet(news))
      .returningAll()
      .executeTakeFirstOrThrow()
  })
}

/** Remembers who a known account is now; false for one that is not known, of which nothing is stored. */
export function updateIdentity(
  db: Db,
  { did, ...identity }: KnownAccount,
  now: number,
): Promise<boolean> {
  return inTransaction(db, async (transaction) => {
    await takeFromOthers(transaction, { did, ...identity })
    const { numUpdatedRows } = await transaction
      .updateTable('accounts')
      .set({ ...identity, updatedAt: now })
      .where('did', '=', did)
      .executeTakeFirstOrThrow()
    return numUpdatedRows > 0n
  })
}

// Handles move from one account to another, and nobody tells us of the one that has lost it.
async function takeFromOthers(
  transaction: Transaction<Schema>,
  { did, handle }: KnownAccount,
): Promise<void> {
  if (handle === undefined || handle === null) return
  await lockUntilCommit(transaction, `handle ${handle}`)
  await transaction
    .updateTable('accounts')
    .set({ handle: null })
    .where('handle', '=', handle)
    .where('did', '!=', did)
    .execute()
}

export async function findAccount(db: Db, did: Did): Promise<Account | null> {
  const row = await db.selectFrom('accounts').selectAll().where('did', '=', did).executeTakeFirst()
  return row ?? null
}

/** The account that was seen last with this handle, which is in lower case. */
export async function findDidByHandle(db: Db, handle: string): Promise<Did | null> {
  const row = await db
    .selectFrom('accounts')
    .select('did')
    .where('handle', '=', handle)
    .executeTakeFirst()
  return row?.did ?? null
}

/**
 * Whether we keep up with what this account does: it has signed in (whoever has a domain here has), or
 * its sites were brought here by a backfill or with `INGEST=all`.
 */
export async function isKnownAccount(db: Db, did: Did): Promise<boolean> {
  return (await knownAccountsAmong(db, [did])).size > 0
}

/** As `isKnownAccount`, of many at once. */
export async function knownAccountsAmong(db: Db, dids: readonly Did[]): Promise<ReadonlySet<Did>> {
  return new Set((await selectAccounts(db, dids)).map(({ did }) => did))
}

const selectAccounts = preparedForList((db, dids: readonly RawBuilder<Did>[]) =>
  db.selectFrom('accounts').select('did').where('did', 'in', dids),
)

/**
 * All accounts in the order of their DIDs, a page at a time: those after `after`, at most `limit`.
 */
export async function listAccounts(
  db: Db,
  { after = '', limit = 1000 }: { after?: string; limit?: number } = {},
): Promise<Account[]> {
  return await db
    .selectFrom('accounts')
    .selectAll()
    .where('did', '>', after as Did)
    .orderBy('did')
    .limit(limit)
    .execute()
}

/**
 * Sets the status, and appends a change for each of the account's sites, so that they are hidden or
 * shown again at once. False when the account already had that status. An unknown account is
 * remembered with it, unless it has left.
 */
export function setAccountStatus(
  db: Db,
  did: Did,
  status: AccountStatus,
  now: number,
): Promise<boolean> {
  const account = { did, handle: null, pds: null }
  return inTransaction(db, async (transaction) => {
    if (await isGone(transaction, did)) return false
    const { numInsertedOrUpdatedRows } = await transaction
      .insertInto('accounts')
      .values({ ...account, status, statusSince: now, createdAt: now, updatedAt: now })
      .onConflict((conflict) =>
        conflict
          .column('did')
          .doUpdateSet({ status, statusSince: now, updatedAt: now })
          .where('accounts.status', '!=', status),
      )
      .executeTakeFirstOrThrow()
    if (numInsertedOrUpdatedRows === 0n) return false
    const sites = await transaction
      .selectFrom('sites')
      .select('name')
      .where('did', '=', did)
      .execute()
    for (const { name } of sites) await appendChange(transaction, { did, name }, now)
    return true
  })
}

/** Accounts that are deleted since before that time, those first that are so for longest. */
export async function listDeletedAccounts(
  db: Db,
  { before, limit }: { before: number; limit: number },
): Promise<Did[]> {
  const rows = await db
    .selectFrom('accounts')
    .select('did')
    .where('status', '=', 'deleted')
    .where('statusSince', '<', before)
    .orderBy('statusSince')
    .orderBy('did')
    .limit(limit)
    .execute()
  return rows.map(({ did }) => did)
}
