import type { RawBuilder, Selectable, Transaction } from 'kysely'
import type { Did } from '#site/site-address.ts'
import type { Db } from '#store/database/database.ts'
import { prepared, preparedForList } from '#store/database/prepared.ts'
import type { Schema } from '#store/database/schema.ts'
import { inTransaction, lockUntilCommit } from '#store/database/transaction.ts'
import { lockAccount } from './deleted-here.ts'
import { didHash } from './did-hash.ts'

export type Account = Readonly<Selectable<Schema['accounts']>>

export interface KnownAccount {
  readonly did: Did
  /** Taken from any other account that has it. Left out: stays as it is. Null: it has none. */
  readonly handle?: string | null
  /** The origin of the account's server. Left out: stays as it is. */
  readonly pds?: string | null
}

/** Remembers an account; a new one is active. Only `setAccountStatus` changes the status of a known one. */
export function upsertAccount(db: Db, account: KnownAccount, now: number): Promise<Account> {
  const news = { ...account, updatedAt: now }
  return inTransaction(db, async (transaction) => {
    await takeFromOthers(transaction, account)
    return await transaction
      .insertInto('accounts')
      .values({
        handle: null,
        pds: null,
        ...news,
        status: 'active',
        statusSince: now,
        createdAt: now,
      })
      .onConflict((conflict) => conflict.column('did').doUpdateSet(news))
      .returningAll()
      .executeTakeFirstOrThrow()
  })
}

/** Remembers the handle that a check has verified, unless a later check has found anything. */
export function recordHandle(
  db: Db,
  { did, check, handle }: { did: Did; check: number; handle: string | null },
  now: number,
): Promise<void> {
  return inTransaction(db, async (transaction) => {
    const ofCheck = transaction
      .selectFrom('accounts')
      .select('did')
      .where('did', '=', did)
      .where('lastCheck', '=', check)
    if ((await ofCheck.executeTakeFirst()) === undefined) return
    await takeFromOthers(transaction, { did, handle })
    await transaction
      .updateTable('accounts')
      .set({ handle, updatedAt: now })
      .where('did', 'in', ofCheck)
      .execute()
  })
}

// Handles move from one account to another, without an event for the account that loses one.
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
  const { rows } = await selectAccount(db, { did })
  return rows[0] ?? null
}

const selectAccount = prepared<{ did: Did }, Account>((db, { did }) =>
  db.selectFrom('accounts').selectAll().where('did', '=', did),
)

/** The key that signs the account's commits, as the last check found it; null: no check has. */
export async function findSigningKey(db: Db, did: Did): Promise<string | null> {
  const { rows } = await selectSigningKey(db, { did })
  return rows[0]?.signingKey ?? null
}

const selectSigningKey = prepared<{ did: Did }, { signingKey: string | null }>((db, { did }) =>
  db.selectFrom('accounts').select('signingKey').where('did', '=', did),
)

/** The account that was last seen with this handle, which is in lower case. */
export async function findDidByHandle(db: Db, handle: string): Promise<Did | null> {
  const row = await db
    .selectFrom('accounts')
    .select('did')
    .where('handle', '=', handle)
    .executeTakeFirst()
  return row?.did ?? null
}

/** Whether the account has signed in (as every owner of a domain has), was visited, backfilled, or met with `INGEST=all`. */
export async function isKnownAccount(db: Db, did: Did): Promise<boolean> {
  return (await knownAccountsAmong(db, [did])).size > 0
}

/** Keeps a known account known until the transaction ends; false for any other. Comes first in a transaction. */
export async function lockIfKnown(transaction: Transaction<Schema>, did: Did): Promise<boolean> {
  await lockAccount(transaction, did)
  const { rows } = await selectUndeleted(transaction, { did, didHash: didHash(did) })
  return rows.length > 0
}

const selectUndeleted = prepared<{ did: Did; didHash: string }, { did: Did }>(
  (db, { did, didHash }) =>
    db
      .selectFrom('accounts')
      .select('did')
      .where('did', '=', did)
      .where(({ exists, not, selectFrom }) =>
        not(
          exists(selectFrom('accountDeletions').select('didHash').where('didHash', '=', didHash)),
        ),
      ),
)

/** The known accounts among `dids`. */
export async function knownAccountsAmong(db: Db, dids: readonly Did[]): Promise<ReadonlySet<Did>> {
  return new Set((await selectAccounts(db, dids)).map(({ did }) => did))
}

const selectAccounts = preparedForList((db, dids: readonly RawBuilder<Did>[]) =>
  db.selectFrom('accounts').select('did').where('did', 'in', dids),
)

/** A page of all accounts in the order of their DIDs: at most `limit` after `after`. */
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
