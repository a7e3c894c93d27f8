import type { Selectable } from 'kysely'
import type { Did } from '#site/site-address.ts'
import type { Db } from '#store/database/database.ts'
import type { Schema } from '#store/database/schema.ts'
import { inTransaction, lockUntilCommit } from '#store/database/transaction.ts'
import { lockUnlessDeletedHere } from './deleted-here.ts'

/** An account whose server has not confirmed the grant since `since`, in `tries` tries. */
export type GrantFailures = Readonly<Selectable<Schema['grantFailures']>>

interface Counting {
  readonly now: number
  /** A try that comes sooner after the last counted one does not count. */
  readonly countedEveryMs: number
  /** After a pause longer than this, earlier tries prove nothing: counting starts again. */
  readonly pauseMsMax: number
}

/** Counts a try that the account's server did not confirm. Stores nothing for an account that was deleted here. */
export function recordGrantFailure(db: Db, did: Did, counting: Counting): Promise<GrantFailures> {
  const { now, countedEveryMs, pauseMsMax } = counting
  return inTransaction(db, async (transaction) => {
    const first = { did, since: now, askedAt: now, tries: 1 }
    if (!(await lockUnlessDeletedHere(transaction, did))) return first
    await lockUntilCommit(transaction, `grant failures ${did}`)
    const known = await transaction
      .selectFrom('grantFailures')
      .selectAll()
      .where('did', '=', did)
      .executeTakeFirst()
    const pauseMs = now - (known?.askedAt ?? 0)
    if (known !== undefined && pauseMs >= 0 && pauseMs < countedEveryMs) return known
    // Negative when the clock was put back: counting starts again too.
    const isAnew = known === undefined || pauseMs < 0 || pauseMs > pauseMsMax
    const row = isAnew ? first : { ...known, askedAt: now, tries: known.tries + 1 }
    await transaction
      .insertInto('grantFailures')
      .values(row)
      .onConflict((conflict) => conflict.column('did').doUpdateSet(row))
      .execute()
    return row
  })
}

/** For an account whose server has confirmed the grant. */
export async function forgetGrantFailures(db: Db, did: Did): Promise<void> {
  await db.deleteFrom('grantFailures').where('did', '=', did).execute()
}

/** Accounts whose servers were last asked at that time or before, longest ago first. */
export async function listGrantFailures(
  db: Db,
  { askedBefore, limit }: { askedBefore: number; limit: number },
): Promise<Did[]> {
  const rows = await db
    .selectFrom('grantFailures')
    .select('did')
    .where('askedAt', '<=', askedBefore)
    .orderBy('askedAt')
    .orderBy('did')
    .limit(limit)
    .execute()
  return rows.map(({ did }) => did)
}
