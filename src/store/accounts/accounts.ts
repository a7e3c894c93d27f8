import type { RawBuilder, Selectable, Transaction } from 'kysely'
import type { Did } from '#site/site-address.ts'
import { appendChange } from '#store/database/changes.ts'
import type { Db } from '#store/database/database.ts'
import { prepared, preparedForList } from '#store/database/prepared.ts'
import type { AccountStatus, Schema } from '#store/database/schema.ts'
import { inSharedTransaction } from '#store/database/shared-transaction.ts'
import { inTransaction, lockUntilCommit } from '#store/database/transaction.ts'
import { lockUnlessDeletedHere } from './deleted-here.ts'
import { authorityOf, deleteBrowserSessionsOf, deleteSessionsOfOthers } from './sessions.ts'

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
  const row = await db.selectFrom('accounts').selectAll().where('did', '=', did).executeTakeFirst()
  return row ?? null
}

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
  return (await lockUnlessDeletedHere(transaction, did)) && (await isKnownAccount(transaction, did))
}

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

/**
 * Begins an account check and returns its number. Numbers grow across processes, so that a late answer to an earlier
 * check does not replace what a later check has found.
 */
export function beginCheck(db: Db): Promise<number> {
  return inSharedTransaction(db, async (transaction) => {
    const { begun } = await transaction
      .insertInto('accountChecks')
      .values({ id: 1, begun: 1 })
      .onConflict((conflict) =>
        conflict
          .column('id')
          .doUpdateSet(({ eb }) => ({ begun: eb('accountChecks.begun', '+', 1) })),
      )
      .returning('begun')
      .executeTakeFirstOrThrow()
    return begun
  })
}

interface CheckFindings {
  readonly did: Did
  readonly check: number
  readonly status: AccountStatus
  /** Left out: stays as it is. */
  readonly pds?: string
  /** As a multikey. Left out: stays as it is. */
  readonly signingKey?: string
}

/**
 * Stores what a check has found about a known account, and hides or shows its sites as `setAccountStatus` does. Ends
 * sessions that began under another server or signing key (`moved`). `ignored`: the account is unknown, or a later
 * check has found something already; nothing is stored.
 */
export function recordCheck(
  db: Db,
  { did, check, status, ...facts }: CheckFindings,
  now: number,
): Promise<'status-changed' | 'moved' | 'same-status' | 'ignored'> {
  return inTransaction(db, async (transaction) => {
    if (!(await lockUnlessDeletedHere(transaction, did))) return 'ignored'
    const { numUpdatedRows } = await transaction
      .updateTable('accounts')
      .set({ ...facts, updatedAt: now })
      .where('did', '=', did)
      .where('lastCheck', '<', check)
      .executeTakeFirstOrThrow()
    if (numUpdatedRows === 0n) return 'ignored'
    const { pds, signingKey } = facts
    const hasMoved =
      pds !== undefined &&
      signingKey !== undefined &&
      (await deleteSessionsOfOthers(transaction, did, authorityOf(pds, signingKey)))
    const hasChanged = await setAccountStatus(transaction, did, status, now, check)
    if (hasChanged) return 'status-changed'
    return hasMoved ? 'moved' : 'same-status'
  })
}

/**
 * Sets the status and appends a change for each of the account's sites: the edge hides or shows them at once. An account
 * that is no longer active loses its sessions. False when the account already has that status, or a check later than
 * `check` (default: one that begins now) has recorded one. Adds an unknown account, unless it was deleted here.
 */
export function setAccountStatus(
  db: Db,
  did: Did,
  status: AccountStatus,
  now: number,
  check?: number,
): Promise<boolean> {
  return inTransaction(db, async (transaction) => {
    if (!(await lockUnlessDeletedHere(transaction, did))) return false
    const lastCheck = check ?? (await beginCheck(transaction))
    const times = { statusSince: now, createdAt: now, updatedAt: now }
    const known = await transaction
      .insertInto('accounts')
      .values({ did, handle: null, pds: null, status: 'active', lastCheck, ...times })
      .onConflict((conflict) =>
        conflict
          .column('did')
          .doUpdateSet({ lastCheck })
          .where('accounts.lastCheck', '<', lastCheck),
      )
      .executeTakeFirstOrThrow()
    if (known.numInsertedOrUpdatedRows === 0n) return false
    const { numUpdatedRows } = await transaction
      .updateTable('accounts')
      .set({ status, statusSince: now, updatedAt: now })
      .where('did', '=', did)
      .where('status', '!=', status)
      .executeTakeFirstOrThrow()
    if (numUpdatedRows === 0n) return false
    if (status !== 'active') await deleteBrowserSessionsOf(transaction, did)
    const sites = await transaction
      .selectFrom('sites')
      .select('name')
      .where('did', '=', did)
      .execute()
    for (const { name } of sites) await appendChange(transaction, { did, name }, now)
    return true
  })
}

/** Accounts that have been `deleted` since before that time, longest first. */
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
