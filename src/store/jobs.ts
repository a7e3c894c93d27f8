import type { Selectable } from 'kysely'
import type { Did } from '#site/site-address.ts'
import type { SiteName } from '#site/site-name.ts'
import { chunksOf } from './chunks.ts'
import type { Db } from './database.ts'
import type { JobStatus, Schema } from './schema.ts'
import { storableText } from './storable-text.ts'
import { inTransaction, lockUntilCommit } from './transaction.ts'

/** One upload on its way into the owner's repository. `site` is the site's name. */
export interface Job {
  readonly id: string
  readonly did: Did
  readonly site: SiteName
  readonly status: JobStatus
  readonly progress: JobProgress
  /** Of a completed job, else null. */
  readonly result: JobResult | null
  /** Of a failed job: a sentence that names the file or the cause. */
  readonly error: string | null
  /** What `publish` needs to carry on after a restart; a text of its own making. */
  readonly plan: string
  readonly createdAt: number
  readonly updatedAt: number
  /** When it began to write to the owner's repository: from then on it cannot be cancelled. */
  readonly writingAt: number | null
  readonly finishedAt: number | null
}

/** As clients see it. */
export interface JobProgress {
  readonly phase:
    | 'validating'
    | 'compressing'
    | 'uploading'
    | 'creating_manifest'
    | 'finalizing'
    | 'done'
  readonly totalFiles: number
  readonly filesProcessed: number
  readonly filesUploaded: number
  readonly filesReused: number
  readonly bytesTotal: number
  readonly bytesUploaded: number
  readonly currentFile: string | null
}

/** As clients see it. */
export interface JobResult {
  readonly success: true
  readonly uri: string
  readonly cid: string
  readonly fileCount: number
  readonly siteName: string
  readonly url: string
  readonly live: boolean
  readonly uploadedCount: number
  readonly reusedCount: number
  readonly skippedFiles: readonly { name: string; reason: string }[]
}

export type NewJob = Pick<Job, 'id' | 'did' | 'site' | 'progress' | 'plan'>

export type JobAdmission =
  | { readonly created: true }
  | { readonly created: false; readonly reason: 'same-site-running' | 'queue-full' }

/**
 * Creates a pending job, unless the account has an unfinished one for the same site, or `queuedMax`
 * already wait behind the running one. However many ask at once, the limits hold.
 */
export function createJob(
  db: Db,
  { progress, ...job }: NewJob,
  { queuedMax, now }: { queuedMax: number; now: number },
): Promise<JobAdmission> {
  return inTransaction(db, async (transaction) => {
    await lockUntilCommit(transaction, `jobs ${job.did}`)
    const unfinished = await transaction
      .selectFrom('jobs')
      .select('site')
      .where('did', '=', job.did)
      .where('finishedAt', 'is', null)
      .execute()
    if (unfinished.some(({ site }) => site === job.site)) {
      return { created: false, reason: 'same-site-running' }
    }
    if (unfinished.length > queuedMax) return { created: false, reason: 'queue-full' }
    await transaction
      .insertInto('jobs')
      .values({
        ...job,
        status: 'pending',
        progress: JSON.stringify(progress),
        result: null,
        error: null,
        createdAt: now,
        updatedAt: now,
        writingAt: null,
        finishedAt: null,
      })
      .execute()
    return { created: true }
  })
}

/**
 * Sets the account's oldest pending job to `processing` and returns it; null while another of its
 * jobs runs, and when none is pending. However many ask at once, one gets it.
 */
export function startNextJob(db: Db, did: Did, now: number): Promise<Job | null> {
  return inTransaction(db, async (transaction) => {
    await lockUntilCommit(transaction, `jobs ${did}`)
    if ((await findRunningJob(transaction, did)) !== null) return null
    const next = await transaction
      .selectFrom('jobs')
      .select('id')
      .where('did', '=', did)
      .where('status', '=', 'pending')
      .orderBy('createdAt')
      .orderBy('id')
      .limit(1)
      .executeTakeFirst()
    if (next === undefined) return null
    const row = await transaction
      .updateTable('jobs')
      .set({ status: 'processing', updatedAt: now })
      .where('id', '=', next.id)
      .returningAll()
      .executeTakeFirstOrThrow()
    return jobOf(row)
  })
}

/**
 * Puts jobs that were being carried out back into the queue: whoever did so is gone. Their progress
 * begins anew.
 */
export async function requeueJobs(db: Db, ids: readonly string[], now: number): Promise<void> {
  for (const chunk of chunksOf(ids)) {
    await db
      .updateTable('jobs')
      .set({ status: 'pending', writingAt: null, updatedAt: now })
      .where('id', 'in', chunk)
      .where('status', 'in', ['processing', 'uploading'])
      .execute()
  }
}

interface JobChange {
  readonly status?: 'processing' | 'uploading'
  readonly progress?: JobProgress
  readonly plan?: string
}

/**
 * Changes what is given; false when the job has finished or is unknown. The step out of `pending`
 * is `startNextJob`'s.
 */
export async function updateJob(
  db: Db,
  id: string,
  change: JobChange,
  now: number,
): Promise<boolean> {
  const { progress, ...plain } = change
  const { numUpdatedRows } = await db
    .updateTable('jobs')
    .set({ ...plain, ...(progress && { progress: JSON.stringify(progress) }), updatedAt: now })
    .where('id', '=', id)
    .where('finishedAt', 'is', null)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

/** From now on the job cannot be cancelled; false when it has been, or has ended otherwise. */
export async function beginWriting(db: Db, id: string, now: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('jobs')
    .set({ writingAt: now, updatedAt: now })
    .where('id', '=', id)
    .where('finishedAt', 'is', null)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

/** Ends a job that has not begun to write, with this sentence; false for one that has, or has ended. */
export async function cancelJobUnlessWriting(
  db: Db,
  id: string,
  error: string,
  now: number,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('jobs')
    .set({ status: 'failed', error, plan: '', updatedAt: now, finishedAt: now })
    .where('id', '=', id)
    .where('finishedAt', 'is', null)
    .where('writingAt', 'is', null)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

export type JobEnd =
  | { readonly status: 'completed'; readonly progress: JobProgress; readonly result: JobResult }
  | { readonly status: 'failed'; readonly error: string }

/** Ends a job, once: false when it has ended before. Its `plan` is emptied. */
export async function finishJob(db: Db, id: string, end: JobEnd, now: number): Promise<boolean> {
  const columns =
    end.status === 'completed'
      ? { progress: JSON.stringify(end.progress), result: JSON.stringify(end.result) }
      : { error: storableText(end.error) }
  const { numUpdatedRows } = await db
    .updateTable('jobs')
    .set({ status: end.status, ...columns, plan: '', updatedAt: now, finishedAt: now })
    .where('id', '=', id)
    .where('finishedAt', 'is', null)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

export async function findJob(db: Db, id: string): Promise<Job | null> {
  const row = await db.selectFrom('jobs').selectAll().where('id', '=', id).executeTakeFirst()
  return row ? jobOf(row) : null
}

/** The account's job that is being carried out; those that wait behind it are not meant. */
export async function findRunningJob(db: Db, did: Did): Promise<Job | null> {
  const row = await db
    .selectFrom('jobs')
    .selectAll()
    .where('did', '=', did)
    .where('status', 'in', ['processing', 'uploading'])
    .executeTakeFirst()
  return row ? jobOf(row) : null
}

/** The names of the sites that the account's unfinished jobs are for. */
export async function listUnfinishedSites(db: Db, did: Did): Promise<SiteName[]> {
  const rows = await db
    .selectFrom('jobs')
    .select('site')
    .where('did', '=', did)
    .where('finishedAt', 'is', null)
    .execute()
  return rows.map(({ site }) => site)
}

/** Accounts with a job that waits and none that runs, those who wait longest first. */
export async function listWaitingAccounts(db: Db, limit: number): Promise<Did[]> {
  const rows = await db
    .selectFrom('jobs')
    .select('did')
    .where('status', '=', 'pending')
    .where('did', 'not in', (running) =>
      running.selectFrom('jobs').select('did').where('status', 'in', ['processing', 'uploading']),
    )
    .groupBy('did')
    .orderBy(({ fn }) => fn.min('createdAt'))
    .limit(limit)
    .execute()
  return rows.map(({ did }) => did)
}

/** The jobs of every account that run or wait, oldest first, with their plans: for a start. */
export async function listUnfinishedJobs(db: Db): Promise<Job[]> {
  const rows = await db
    .selectFrom('jobs')
    .selectAll()
    .where('finishedAt', 'is', null)
    .orderBy('createdAt')
    .orderBy('id')
    .execute()
  return rows.map(jobOf)
}

export async function deleteJobsFinishedBefore(db: Db, before: number): Promise<void> {
  await db.deleteFrom('jobs').where('finishedAt', '<', before).execute()
}

function jobOf(row: Selectable<Schema['jobs']>): Job {
  return {
    ...row,
    progress: JSON.parse(row.progress) as JobProgress,
    result: row.result === null ? null : (JSON.parse(row.result) as JobResult),
  }
}
