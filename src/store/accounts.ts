import type { Selectable } from 'kysely'
import type { Did } from '#site/site-address.ts'
import { appendChange } from './changes.ts'
import type { Db } from './database.ts'
import type { AccountStatus, Schema } from './schema.ts'
import { inTransaction } from './transaction.ts'

export type Account = Readonly<Selectable<Schema['accounts']>>

interface KnownAccount {
  readonly did: Did
  /** Left out: what is known stays. Null: it has none. */
  readonly handle?: string | null
  /** The origin of the account's server. Left out: what is known stays. */
  readonly pds?: string | null
}

/**
 * Remembers an account; a new one is active. The status of a known one changes by
 * `setAccountStatus` only.
 */
export async function upsertAccount(db: Db, account: KnownAccount, now: number): Promise<Account> {
  const news = { ...account, updatedAt: now }
  return await db
    .insertInto('accounts')
    .values({ handle: null, pds: null, ...news, status: 'active', createdAt: now })
    .onConflict((conflict) => conflict.column('did').doUpdateSet(news))
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** Remembers who a known account is now; false for one that is not known, of which nothing is stored. */
export async function updateIdentity(
  db: Db,
  { did, ...identity }: KnownAccount,
  now: number,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('accounts')
    .set({ ...identity, updatedAt: now })
    .where('did', '=', did)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

export async function findAccount(db: Db, did: Did): Promise<Account | null> {
  const row = await db.selectFrom('accounts').selectAll().where('did', '=', did).executeTakeFirst()
  return row ?? null
}

/** The account that was last seen with this handle, in lower case; handles move from one to another. */
export async function findDidByHandle(db: Db, handle: string): Promise<Did | null> {
  const row = await db
    .selectFrom('accounts')
    .select('did')
    .where('handle', '=', handle)
    .orderBy('updatedAt', 'desc')
    .executeTakeFirst()
  return row?.did ?? null
}

/**
 * Whether we keep up with what this account does: it has signed in (whoever has a domain here has), or
 * its sites were brought here by a backfill or with `INGEST=all`.
 */
export async function isKnownAccount(db: Db, did: Did): Promise<boolean> {
  const known = db.selectFrom('accounts').select('did').where('did', '=', did)
  return (await known.executeTakeFirst()) !== undefined
}

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
 * remembered with it.
 */
export function setAccountStatus(
  db: Db,
  did: Did,
  status: AccountStatus,
  now: number,
): Promise<boolean> {
  const account = { did, handle: null, pds: null }
  return inTransaction(db, async (transaction) => {
    const { numInsertedOrUpdatedRows } = await transaction
      .insertInto('accounts')
      .values({ ...account, status, createdAt: now, updatedAt: now })
      .onConflict((conflict) =>
        conflict
          .column('did')
          .doUpdateSet({ status, updatedAt: now })
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
