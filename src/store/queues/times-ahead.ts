import type { Db } from '#store/database/database.ts'
import { parkedAt } from './work-items.ts'

/** The longest that each of these may lie ahead of the clock. */
export interface TimesAheadMax {
  /** Of an item of a queue after its first attempt, its second and so on; and of one that was not tried yet, the first of them. */
  readonly retriesMs: readonly number[]
  readonly queueLeaseMs: number
  readonly jobMs: number
  readonly domainCheckMs: number
  readonly accountDeletionMs: number
}

/** Most that the clocks of two machines may differ. */
export const clockSkewMs = 60_000

/**
 * Makes due whatever lies further ahead of `now` than it ever should: it was written while the clock was ahead, and
 * would wait until the time has caught up. Returns how many rows that were.
 */
export async function pullBackTimes(db: Db, now: number, max: TimesAheadMax): Promise<number> {
  const counts = [
    await pullBackWork(db, now, max),
    await pullBackJobs(db, now, max),
    await affected(
      db
        .updateTable('customDomains')
        .set({ nextCheckAt: now })
        .where('nextCheckAt', '>', now + max.domainCheckMs + clockSkewMs),
    ),
    await affected(
      db
        .updateTable('departures')
        .set({ nextAttemptAt: now })
        .where('nextAttemptAt', '>', now + max.accountDeletionMs + clockSkewMs),
    ),
  ]
  return counts.reduce((sum, count) => sum + count, 0)
}

async function pullBackWork(
  db: Db,
  now: number,
  { queueLeaseMs, retriesMs }: TimesAheadMax,
): Promise<number> {
  const last = retriesMs.length - 1
  const due = db
    .updateTable('workItems')
    .set({ nextAttemptAt: now })
    .where('nextAttemptAt', '<', parkedAt)
    .where(({ and, eb, or }) =>
      or(
        retriesMs.map((waitMs, n) =>
          and([
            eb('attempts', n === last ? '>=' : '=', n),
            eb('nextAttemptAt', '>', now + waitMs + clockSkewMs),
          ]),
        ),
      ),
    )
  const free = db
    .updateTable('workItems')
    .set({ leasedUntil: now })
    .where('leasedUntil', '>', now + queueLeaseMs + clockSkewMs)
  // No event waits longer for an item that failed than its first retry does.
  const unpaused = db
    .updateTable('workItems')
    .set({ notBefore: now })
    .where('notBefore', '>', now + (retriesMs[0] ?? 0) + clockSkewMs)
  return (await affected(due)) + (await affected(free)) + (await affected(unpaused))
}

async function pullBackJobs(db: Db, now: number, { jobMs }: TimesAheadMax): Promise<number> {
  const due = db
    .updateTable('jobs')
    .set({ dueAt: now })
    .where('status', '=', 'pending')
    .where('dueAt', '>', now + jobMs + clockSkewMs)
  const begun = db
    .updateTable('jobs')
    .set({ startedAt: now })
    .where('finishedAt', 'is', null)
    .where('startedAt', '>', now + clockSkewMs)
  return (await affected(due)) + (await affected(begun))
}

interface Update {
  executeTakeFirstOrThrow(): Promise<{ readonly numUpdatedRows: bigint }>
}

const affected = async (update: Update): Promise<number> =>
  Number((await update.executeTakeFirstOrThrow()).numUpdatedRows)
