import { sql } from 'kysely'
import { aggregatesOf } from '#store/database/aggregate.ts'
import type { Db } from '#store/database/database.ts'
import type { JobStatus, WorkKind } from '#store/database/schema.ts'
import { parkedAt } from './work-items.ts'

/** The work items of one kind. */
export interface QueueSize {
  /** Due, in progress, or to be tried again later. */
  readonly waiting: number
  readonly parked: number
  /** How long the one that has been due for longest has waited. */
  readonly lagMs: number
}

interface KindRow {
  readonly kind: WorkKind
  readonly count: number
  readonly parked: number
  readonly dueAt: number
}

/** Reads the whole queue: 0.2 s for a million items, on SQLite in stretches. */
export async function queueSizes(db: Db, now: number): Promise<Record<WorkKind, QueueSize>> {
  const columns = sql`kind, count(*) as count, min(next_attempt_at) as due_at,
    sum(case when next_attempt_at = ${sql.lit(parkedAt)} then 1 else 0 end) as parked`
  // Only SQLite, which has this column, reads by keys.
  const items = { table: 'workItems', key: 'rowid', groupBy: sql`kind` }
  const sizes = { site: nothing(), version: nothing(), account: nothing() }
  for await (const row of aggregatesOf<KindRow>(db, columns, items)) {
    const size = sizes[row.kind]
    size.waiting += Number(row.count) - Number(row.parked)
    size.parked += Number(row.parked)
    size.lagMs = Math.max(size.lagMs, now - Number(row.dueAt))
  }
  return sizes
}

const nothing = () => ({ waiting: 0, parked: 0, lagMs: 0 })

/** How many jobs have not ended, by status. */
export async function unfinishedJobs(db: Db): Promise<Map<JobStatus, number>> {
  const rows = await db
    .selectFrom('jobs')
    .select(['status', sql<number>`count(*)`.as('count')])
    .where('finishedAt', 'is', null)
    .groupBy('status')
    .execute()
  return new Map(rows.map(({ status, count }) => [status, Number(count)]))
}
