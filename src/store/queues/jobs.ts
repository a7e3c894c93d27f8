import type { Selectable } from 'kysely'
import type { Did } from '#site/site-address.ts'
import type { SiteName } from '#site/site-name.ts'
import { lockOrThrowIfDeletedHere } from '#store/accounts/deleted-here.ts'
import type { Db } from '#store/database/database.ts'
import type { JobStatus, Schema } from '#store/database/schema.ts'
import { inTransaction, lockUntilCommit } from '#store/database/transaction.ts'

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
  /** What `publish` needs to carry on after a restart; a string of its own making. */
  readonly plan: string
  /** CID of the record that the site had when the job first looked, '' for none; null: it has not yet. */
  readonly expectedCid: string | null
  readonly createdAt: number
  readonly updatedAt: number
  /** When its next attempt may begin, where it waits for its owner's server; null: at once. */
  readonly dueAt: number | null
  /** When its first attempt began; null: none has, since the service started. */
  readonly startedAt: number | null
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
 * already wait behind the running one. However many ask at once, the limits hold. Throws AccountDeletedHereError.
 */
export function createJob(
  db: Db,
  { progress, ...job }: NewJob,
  { queuedMax, now }: { queuedMax: number; now: number },
): Promise<JobAdmission> {
  return inTransaction(db, async (transaction) => {
    await lockOrThrowIfDeletedHere(transaction, job.did)
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
        expectedCid: null,
        createdAt: now,
        updatedAt: now,
        dueAt: null,
        startedAt: null,
        writingAt: null,
        finishedAt: null,
      })
      .execute()
    return { created: true }
  })
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

/** As the table has it. */
export function jobOf(row: Selectable<Schema['jobs']>): Job {
  return {
    ...row,
    progress: JSON.parse(row.progress) as JobProgress,
    result: row.result === null ? null : (JSON.parse(row.result) as JobResult),
  }
}
