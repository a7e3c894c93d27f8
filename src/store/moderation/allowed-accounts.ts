import type { Selectable } from 'kysely'
import type { Did } from '#site/site-address.ts'
import type { Db } from '#store/database/database.ts'
import { prepared } from '#store/database/prepared.ts'
import { beginsWith } from '#store/database/search.ts'
import type { ModerationTables } from '#store/database/tables/moderation-tables.ts'
import { inTransaction, lockUntilCommit } from '#store/database/transaction.ts'

export const allowedAccountsMax = 100_000

/** An account that may sign in where not everybody may: a DID, or a handle in lower case. */
export type AllowedAccount = Readonly<Selectable<ModerationTables['allowedAccounts']>>

/** False: the list has `allowedAccountsMax` already. One that is on it stays as it is. */
export function addAllowedAccount(
  db: Db,
  allowed: AllowedAccount,
  max: number = allowedAccountsMax,
): Promise<boolean> {
  return inTransaction(db, async (transaction) => {
    await lockUntilCommit(transaction, 'allowed accounts')
    const { count } = await transaction
      .selectFrom('allowedAccounts')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('account', '!=', allowed.account)
      .executeTakeFirstOrThrow()
    if (Number(count) >= max) return false
    await transaction
      .insertInto('allowedAccounts')
      .values(allowed)
      .onConflict((conflict) => conflict.column('account').doNothing())
      .execute()
    return true
  })
}

/** False: it is not on the list. */
export async function removeAllowedAccount(db: Db, account: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('allowedAccounts')
    .where('account', '=', account)
    .executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}

interface AllowedQuery {
  /** The beginning of a DID or a handle, in any case; empty: all. */
  readonly search?: string | undefined
  readonly after?: string | undefined
  readonly limit: number
}

/** By name: at most `limit` after `after`. */
export async function listAllowedAccounts(
  db: Db,
  { search = '', after = '', limit }: AllowedQuery,
): Promise<AllowedAccount[]> {
  // Handles are in lower case here, DIDs as they are.
  const beginnings = [search, search.toLowerCase()]
  return await db
    .selectFrom('allowedAccounts')
    .selectAll()
    .where('account', '>', after)
    .$if(search !== '', (query) =>
      query.where(({ or }) => or(beginnings.map((text) => beginsWith('account', text)))),
    )
    .orderBy('account')
    .limit(limit)
    .execute()
}

/** Whether the list has the DID, or the handle that the account has now, as far as known here. */
export async function isAllowedAccount(db: Db, did: Did): Promise<boolean> {
  const { rows } = await selectAllowed(db, { did, same: did })
  return rows.length > 0
}

const selectAllowed = prepared<{ did: Did; same: Did }, { account: string }>((db, { did, same }) =>
  db
    .selectFrom('allowedAccounts')
    .select('account')
    .where((where) =>
      where.or([
        where('account', '=', did),
        where.exists(
          where
            .selectFrom('accounts')
            .select('did')
            .where('did', '=', same)
            .whereRef('handle', '=', 'allowedAccounts.account'),
        ),
      ]),
    )
    .limit(1),
)

/** Whether the list has this DID or this handle. */
export async function isListed(db: Db, names: readonly string[]): Promise<boolean> {
  const row = await db
    .selectFrom('allowedAccounts')
    .select('account')
    .where('account', 'in', names)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}
