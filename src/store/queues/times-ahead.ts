import { sql } from 'kysely'
import type { Db } from '#store/database/database.ts'
import { clockSkewMs } from '#store/leases.ts'
import { parkedAt } from './work-items.ts'

/** How far each time may lie ahead of the clock. */
export interface TimesAheadMax {
  /** Of a work item, by its attempts; the last value serves all further attempts. */
  readonly retriesMs: readonly number[]
  readonly queueLeaseMs: number
  readonly jobMs: number
  readonly domainCheckMs: number
  readonly accountDeletionMs: number
  /** Of a delivery to a webhook. */
  readonly deliveryMs: number
}

/**
 * Makes due what lies further ahead of `now` than it ever should: it was written while the clock was ahead, and would
 * wait until the time has caught up. Returns how many rows it changed.
 */
export async function pullBackTimes(db: Db, now: number, max: TimesAheadMax): Promise<number> {
  const domains = db
    .updateTable('customDomains')
    .set({ nextCheckAt: now })
    // Others are not checked. A literal, as in the partial index: this runs every minute.
    .where('verified', '=', sql.lit(1))
    .where('nextCheckAt', '>', now + max.domainCheckMs + clockSkewMs)
  const deletions = db
    .updateTable('accountDeletions')
    .set({ nextAttemptAt: now })
    .where('nextAttemptAt', '>', now + max.accountDeletionMs + clockSkewMs)
  const latest = now + max.deliveryMs + clockSkewMs
  const deliveries = db
    .updateTable('webhookDeliveries')
    .set({ nextAttemptAt: now, leasedUntil: 0 })
    .where('state', '=', 'pending')
    .where(({ eb, or }) => or([eb('nextAttemptAt', '>', latest), eb('leasedUntil', '>', latest)]))
  const rest = [domains, deletions, deliveries]
  let count = 0
  for (const update of [...work(db, now, max), ...jobs(db, now, max), ...rest]) {
    count += Number((await update.executeTakeFirstOrThrow()).numUpdatedRows)
  }
  return count
}

function work(db: Db, now: number, { queueLeaseMs, retriesMs }: TimesAheadMax) {
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
  // An event never waits longer for a failed item than its first retry does.
  const unpaused = db
    .updateTable('workItems')
    .set({ notBefore: now })
    .where('notBefore', '>', now + (retriesMs[0] ?? 0) + clockSkewMs)
  return [due, free, unpaused]
}

function jobs(db: Db, now: number, { jobMs }: TimesAheadMax) {
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
  return [due, begun]
}
