import type { Selectable } from 'kysely'
import { currentTrace } from '#observe/trace.ts'
import type { Did } from '#site/site-address.ts'
import type { SiteName } from '#site/site-name.ts'
import { lockOrThrowIfDeletedHere } from '#store/accounts/deleted-here.ts'
import { chunksOf } from '#store/database/chunks.ts'
import type { Db } from '#store/database/database.ts'
import { prepared } from '#store/database/prepared.ts'
import type { Schema } from '#store/database/schema.ts'
import { inTransaction, lockUntilCommit } from '#store/database/transaction.ts'
import type { AccountLimits } from '#store/moderation/account-limits.ts'
import { countUpload } from './begun-uploads.ts'

/** One upload on its way into the owner's repository. */
export interface Job extends Readonly<Omit<Row, 'progress' | 'result'>> {
  readonly progress: JobProgress
  readonly result: JobResult | null
}

type Row = Selectable<Schema['jobs']>

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
  /** Key of the version record with this content; null: there is none. */
  readonly versionId: string | null
  /** The address at which this version stays. */
  readonly versionUrl: string | null
  /** The address of a preview's alias. */
  readonly previewUrl: string | null
  /** Why there is no version record; null also if the owner wants none. */
  readonly versionProblem: string | null
  readonly sizeNotice: string | null
}

/** Of jobs that ended before there were versions. */
const resultDefaults = {
  versionId: null,
  versionUrl: null,
  previewUrl: null,
  versionProblem: null,
  sizeNotice: null,
}

export type NewJob = Pick<Job, 'id' | 'did' | 'site' | 'progress' | 'plan'> &
  Partial<Pick<Job, 'expectedCid' | 'instance'>>

export interface NewJobOptions {
  readonly queuedMax: number
  readonly now: number
  readonly limits?: AccountLimits
}

export type JobAdmission =
  | { readonly created: true }
  | { readonly created: false; readonly reason: 'same-site-running' | 'queue-full' }
  /** The account has begun `uploadsMax` within 24 hours. */
  | { readonly created: false; readonly reason: 'daily-limit'; readonly uploadsMax: number }

/**
 * Creates a pending job, unless the account has an unfinished one for the same site, or `queuedMax` already wait behind
 * the running one, or the account has begun as many today as it may. The limits hold for concurrent callers too.
 * Replaces an ended job with the same id. Throws AccountDeletedHereError.
 */
export function createJob(
  db: Db,
  { progress, expectedCid = null, instance = '', ...job }: NewJob,
  { queuedMax, now, limits = {} }: NewJobOptions,
): Promise<JobAdmission> {
  return inTransaction(db, async (transaction) => {
    await lockOrThrowIfDeletedHere(transaction, job.did)
    await lockUntilCommit(transaction, `jobs ${job.did}`)
    const unfinished = await listUnfinishedSites(transaction, job.did)
    if (unfinished.includes(job.site)) return { created: false, reason: 'same-site-running' }
    if (unfinished.length > queuedMax) return { created: false, reason: 'queue-full' }
    const uploadsMax = await countUpload(transaction, job.did, { limits, now })
    if (uploadsMax !== null) return { created: false, reason: 'daily-limit', uploadsMax }
    const ended = transaction.deleteFrom('jobs').where('id', '=', job.id)
    await ended.where('finishedAt', 'is not', null).execute()
    await transaction
      .insertInto('jobs')
      .values({
        ...job,
        instance,
        status: 'pending',
        progress: JSON.stringify(progress),
        result: null,
        error: null,
        expectedCid,
        createdAt: now,
        updatedAt: now,
        dueAt: null,
        startedAt: null,
        writingAt: null,
        finishedAt: null,
        traceId: currentTrace()?.id ?? null,
      })
      .execute()
    return { created: true }
  })
}

export async function findJob(db: Db, id: string): Promise<Job | null> {
  const row = await db.selectFrom('jobs').selectAll().where('id', '=', id).executeTakeFirst()
  return row ? jobOf(row) : null
}

/** The account's job that is not pending but running. */
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

/** The instance's jobs of all accounts that run or wait, oldest first, for a start; of the only one without an `instance`. */
export async function listUnfinishedJobs(db: Db, instance = ''): Promise<Job[]> {
  const rows = await db
    .selectFrom('jobs')
    .selectAll()
    .where('instance', '=', instance)
    .where('finishedAt', 'is', null)
    .orderBy('createdAt')
    .orderBy('id')
    .execute()
  return rows.map(jobOf)
}

/** Whether the job has ended; without its plan, which can be 2 MB. */
export async function hasJobEnded(db: Db, id: string): Promise<boolean> {
  const { rows } = await selectEnded(db, { id })
  return rows.length > 0
}

const selectEnded = prepared<{ id: string }, { id: string }>((db, { id }) =>
  db.selectFrom('jobs').select('id').where('id', '=', id).where('finishedAt', 'is not', null),
)

/** The jobs among `ids` that have ended, apart from those of open deploys, which wait to be committed again. */
export async function endedJobsAmong(db: Db, ids: readonly string[]): Promise<string[]> {
  const ended: string[] = []
  for (const chunk of chunksOf(ids)) {
    const rows = await db
      .selectFrom('jobs')
      .select('id')
      .where('id', 'in', chunk)
      .where('finishedAt', 'is not', null)
      .where('id', 'not in', db.selectFrom('deploys').select('id').where('committedAt', 'is', null))
      .execute()
    ended.push(...rows.map(({ id }) => id))
  }
  return ended
}

export async function deleteJobsFinishedBefore(db: Db, before: number): Promise<void> {
  await db.deleteFrom('jobs').where('finishedAt', '<', before).execute()
}

export function jobOf(row: Row): Job {
  return {
    ...row,
    progress: JSON.parse(row.progress) as JobProgress,
    result: row.result === null ? null : { ...resultDefaults, ...JSON.parse(row.result) },
  }
}
