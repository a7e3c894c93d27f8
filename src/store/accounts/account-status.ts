import type { Did } from '#site/site-address.ts'
import { appendChange } from '#store/database/changes.ts'
import type { Db } from '#store/database/database.ts'
import type { AccountStatus } from '#store/database/schema.ts'
import { inSharedTransaction } from '#store/database/shared-transaction.ts'
import { tellVersions } from '#store/database/tell-versions.ts'
import { inTransaction } from '#store/database/transaction.ts'
import { lockUnlessDeletedHere } from './deleted-here.ts'
import { authorityOf, deleteSessionsOfOthers, endSessionsOf } from './sessions.ts'

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
    if (status !== 'active') await endSessionsOf(transaction, did)
    const sites = await transaction
      .selectFrom('sites')
      .select('name')
      .where('did', '=', did)
      .execute()
    for (const { name } of sites) await appendChange(transaction, { did, name }, now)
    await tellVersions(transaction, { did }, now)
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
