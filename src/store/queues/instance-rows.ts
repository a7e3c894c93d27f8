import type { Did } from '#site/site-address.ts'
import type { SiteName } from '#site/site-name.ts'
import { chunksOf } from '#store/database/chunks.ts'
import type { Db } from '#store/database/database.ts'
import { inTransaction } from '#store/database/transaction.ts'
import { findInstance, type InstanceRow, lockInstance } from '#store/instances.ts'
import { finishJob } from './job-steps.ts'

// Unfinished jobs and open deploys, by the instance whose spool has their files.

/** Of these jobs and deploys: `former`'s; null: of all instances. */
export async function listIdsOf(
  db: Db,
  former: string | null,
): Promise<{ readonly jobs: string[]; readonly deploys: string[] }> {
  const [jobs, deploys] = await Promise.all([
    unfinishedJobs(db)
      .select('id')
      .$if(former !== null, (query) => query.where('instance', '=', former ?? ''))
      .execute(),
    openDeploys(db)
      .select('id')
      .$if(former !== null, (query) => query.where('instance', '=', former ?? ''))
      .execute(),
  ])
  return { jobs: jobs.map(({ id }) => id), deploys: deploys.map(({ id }) => id) }
}

const unfinishedJobs = (db: Db) => db.selectFrom('jobs').where('finishedAt', 'is', null)
const openDeploys = (db: Db) => db.selectFrom('deploys').where('committedAt', 'is', null)

/** Makes these jobs and deploys the instance's. */
export async function giveToInstance(
  db: Db,
  ids: readonly string[],
  instance: string,
): Promise<void> {
  for (const chunk of chunksOf(ids)) {
    await db.updateTable('jobs').set({ instance }).where('id', 'in', chunk).execute()
    await db.updateTable('deploys').set({ instance }).where('id', 'in', chunk).execute()
  }
}

/** An instance as somebody has seen it; `row` is null for one that has jobs or deploys and does not run. */
export interface SeenInstance {
  readonly id: string
  readonly row: Pick<InstanceRow, 'run' | 'seenAt'> | null
}

/** All that run, or have unfinished jobs or open deploys. */
export async function listKnownInstances(db: Db): Promise<SeenInstance[]> {
  const [rows, ofJobs, ofDeploys] = await Promise.all([
    db.selectFrom('instances').select(['id', 'run', 'seenAt']).execute(),
    unfinishedJobs(db).select('instance').distinct().execute(),
    openDeploys(db).select('instance').distinct().execute(),
  ])
  const known = new Map<string, SeenInstance>()
  for (const { instance: id } of [...ofJobs, ...ofDeploys]) known.set(id, { id, row: null })
  for (const { id, ...row } of rows) known.set(id, { id, row })
  return [...known.values()]
}

export interface AbandonedJob {
  readonly id: string
  readonly did: Did
  readonly site: SiteName
  /** Null: nothing of it has been done. */
  readonly startedAt: number | null
}

/**
 * Removes an instance that is as it was `seen`: ends its jobs with the sentence for each, and deletes its open deploys.
 * Returns the jobs; null: it is not as it was seen.
 */
export function removeGoneInstance(
  db: Db,
  seen: SeenInstance,
  { now, sentenceOf }: { now: number; sentenceOf: (job: AbandonedJob) => string },
): Promise<AbandonedJob[] | null> {
  return inTransaction(db, async (transaction) => {
    await lockInstance(transaction, seen.id)
    const row = await findInstance(transaction, seen.id)
    if (row?.run !== seen.row?.run || row?.seenAt !== seen.row?.seenAt) return null
    const jobs = await unfinishedJobs(transaction)
      .select(['id', 'did', 'site', 'startedAt'])
      .where('instance', '=', seen.id)
      .execute()
    const ended: AbandonedJob[] = []
    for (const job of jobs) {
      const end = { status: 'failed', error: sentenceOf(job) } as const
      if (await finishJob(transaction, job.id, end, now)) ended.push(job)
    }
    await transaction
      .deleteFrom('deploys')
      .where('instance', '=', seen.id)
      .where('committedAt', 'is', null)
      .execute()
    await transaction.deleteFrom('instances').where('id', '=', seen.id).execute()
    return ended
  })
}
