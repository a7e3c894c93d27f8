import type { Transaction } from 'kysely'
import type { Did } from '#site/site-address.ts'
import type { Db } from '#store/database/database.ts'
import { prepared } from '#store/database/prepared.ts'
import type { Schema } from '#store/database/schema.ts'
import { lockUntilCommit } from '#store/database/transaction.ts'
import { didHash } from './did-hash.ts'

/** A request on behalf of an account that was deleted here meanwhile. */
export class AccountDeletedHereError extends Error {
  override readonly name = 'AccountDeletedHereError'
  readonly did: Did

  constructor(did: Did) {
    super(`account was deleted here; did=${did}`)
    this.did = did
  }
}

/** Whether the account was deleted here and has not signed in since. */
export async function isDeletedHere(db: Db, did: Did): Promise<boolean> {
  const { rows } = await selectDeletion(db, { didHash: didHash(did) })
  return rows.length > 0
}

const selectDeletion = prepared<{ didHash: string }, object>((db, { didHash }) =>
  db.selectFrom('accountDeletions').select('didHash').where('didHash', '=', didHash),
)

/** Blocks the account's deletion until the transaction ends; false when it is deleted. Comes first in a transaction. */
export async function lockUnlessDeletedHere(
  transaction: Transaction<Schema>,
  did: Did,
): Promise<boolean> {
  await lockAccount(transaction, did)
  return !(await isDeletedHere(transaction, did))
}

/** Like `lockUnlessDeletedHere`, but throws AccountDeletedHereError. */
export async function lockOrThrowIfDeletedHere(
  transaction: Transaction<Schema>,
  did: Did,
): Promise<void> {
  if (!(await lockUnlessDeletedHere(transaction, did))) throw new AccountDeletedHereError(did)
}

/** For an account that has signed in again. */
export async function forgetDeletion(db: Db, did: Did): Promise<void> {
  await db.deleteFrom('accountDeletions').where('didHash', '=', didHash(did)).execute()
}

/** Serializes deletions and sign-ins of this account until the transaction ends. */
export function lockAccount(transaction: Transaction<Schema>, did: Did): Promise<void> {
  return lockUntilCommit(transaction, `account ${did}`)
}
