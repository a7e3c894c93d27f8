import type { Did } from '#site/site-address.ts'
import { didHash } from '#store/accounts/did-hash.ts'
import type { Db } from '#store/database/database.ts'
import { inTransaction, lockUntilCommit } from '#store/database/transaction.ts'
import { type AccountLimits, limitsOfAccount } from '#store/moderation/account-limits.ts'

/** How long an upload counts. */
const countedMs = 24 * 60 * 60 * 1000

interface UploadCount {
  readonly limits: AccountLimits
  readonly now: number
}

/**
 * Counts an upload that begins now, unless the account has begun as many within 24 hours as it may: returns its
 * `uploadsPerDayMax` then, else null. The limit holds for concurrent callers too. The count is by a hash of the DID, and
 * outlives the account here.
 */
export function countUpload(db: Db, did: Did, count: UploadCount): Promise<number | null> {
  return inTransaction(db, async (transaction) => {
    await lockUntilCommit(transaction, `uploads ${did}`)
    const uploadsMax = await reachedUploadLimit(transaction, did, count)
    if (uploadsMax !== null) return uploadsMax
    const row = { didHash: didHash(did), at: count.now }
    await transaction.insertInto('begunUploads').values(row).execute()
    return null
  })
}

/** The account's `uploadsPerDayMax` if it has begun as many uploads within 24 hours; else null. */
export async function reachedUploadLimit(
  db: Db,
  did: Did,
  { limits, now }: UploadCount,
): Promise<number | null> {
  const { uploadsPerDayMax } = await limitsOfAccount(db, did, limits)
  if (uploadsPerDayMax === undefined) return null
  return (await uploadsWithinDay(db, did, now)) >= uploadsPerDayMax ? uploadsPerDayMax : null
}

/** How many uploads the account has begun within 24 hours. */
export async function uploadsWithinDay(db: Db, did: Did, now: number): Promise<number> {
  const { count } = await db
    .selectFrom('begunUploads')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('didHash', '=', didHash(did))
    .where('at', '>', now - countedMs)
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** Deletes the uploads that no longer count. */
export async function deleteCountedUploads(db: Db, now: number): Promise<void> {
  await db
    .deleteFrom('begunUploads')
    .where('at', '<=', now - countedMs)
    .execute()
}
