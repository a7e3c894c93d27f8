import type { Transaction } from 'kysely'
import { recordEvent } from '#observe/events.ts'
import type { Log } from '#observe/log.ts'
import type { Db } from '#store/database/database.ts'
import type { Schema } from '#store/database/schema.ts'
import { afterCommit, inTransaction } from '#store/database/transaction.ts'
import type { WakeUps } from '#store/database/wake-ups.ts'
import { appendAuditEntry } from '#store/moderation/audit.ts'

/** Who acts, and why. */
export interface By {
  /** The administrator's name, or `cli:` and the operating system's user, such as `cli:ruth (1000)`. */
  readonly actor: string
  readonly reason: string
}

export interface AdminContext {
  readonly db: Db
  readonly wakeUps: WakeUps
  readonly log: Log
  readonly now: () => number
}

/** As an audit entry names it. */
interface Action {
  readonly action: string
  readonly subject: string
  readonly details?: Readonly<Record<string, unknown>>
}

export const reasonCharsMax = 500

/**
 * Runs `change` and writes its audit entry in the same transaction; logs it once that has committed. A change that
 * returns null or false did nothing, and leaves no entry.
 */
export async function audited<Result>(
  { action, subject, details = {} }: Action,
  { actor, reason }: By,
  { db, log, now }: AdminContext,
  change: (transaction: Transaction<Schema>) => Promise<Result>,
): Promise<Result> {
  return await inTransaction(db, async (transaction) => {
    const result = await change(transaction)
    if (result === null || result === false) return result
    await appendAuditEntry(transaction, { at: now(), actor, action, subject, reason, details })
    afterCommit(transaction, () =>
      recordEvent(log, 'admin_acted', { action, subject, actor, reason }),
    )
    return result
  })
}
