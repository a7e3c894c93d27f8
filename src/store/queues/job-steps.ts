import type { Updateable } from 'kysely'
import type { Did } from '#site/site-address.ts'
import { chunksOf } from '#store/database/chunks.ts'
import type { Db } from '#store/database/database.ts'
import type { JobStatus, Schema } from '#store/database/schema.ts'
import { storableText } from '#store/database/storable-text.ts'
import { inTransaction, lockUntilCommit } from '#store/database/transaction.ts'
import { appendWebhookEvent, sentText } from '#store/webhooks/append-event.ts'
import {
  findJob,
  findRunningJob,
  type Job,
  type JobProgress,
  type JobResult,
  jobOf,
} from './jobs.ts'

// A job waits, runs in attempts, and ends once.

export interface WaitingAccount {
  readonly did: Did
  /** Its server, as the account was last checked. */
  readonly pds: string | null
}

interface WaitingOptions {
  readonly limit: number
  readonly offset?: number
  readonly now: number
  /** Whose jobs; left out: the only one's. */
  readonly instance?: string
}

/**
 * Accounts with a due job of the instance, no running one of any and none that waits for their server. Round robin over the servers: first the
 * longest waiting account of each, then the next one of each.
 */
export async function listWaitingAccounts(
  db: Db,
  { limit, offset = 0, now, instance = '' }: WaitingOptions,
): Promise<WaitingAccount[]> {
  const waiting = db
    .selectFrom('jobs')
    .leftJoin('accounts', 'accounts.did', 'jobs.did')
    .select(({ fn }) => [
      'jobs.did',
      'accounts.pds',
      fn.min(fn.coalesce('jobs.dueAt', 'jobs.createdAt')).as('since'),
    ])
    .where('jobs.status', '=', 'pending')
    .where('jobs.instance', '=', instance)
    .where('jobs.did', 'not in', (running) =>
      running.selectFrom('jobs').select('did').where('status', 'in', ['processing', 'uploading']),
    )
    .where('jobs.did', 'not in', (later) =>
      later
        .selectFrom('jobs')
        .select('did')
        .where('status', '=', 'pending')
        .where('instance', '=', instance)
        .where('dueAt', '>', now),
    )
    .groupBy(['jobs.did', 'accounts.pds'])
  const ranked = db.selectFrom(waiting.as('waiting')).select(({ fn }) => [
    'did',
    'pds',
    'since',
    fn
      .agg<number>('row_number')
      .over((over) => over.partitionBy('pds').orderBy('since').orderBy('did'))
      .as('rank'),
  ])
  return await db
    .selectFrom(ranked.as('ranked'))
    .select(['did', 'pds'])
    .orderBy('rank')
    .orderBy('since')
    .orderBy('did')
    .limit(limit)
    .offset(offset)
    .execute()
}

/**
 * Sets the account's oldest pending job of the instance to `processing` and returns it; null while another of its jobs runs
 * on any instance, when none is pending, and when the oldest is not due. Only one of several concurrent callers gets it.
 */
export function startNextJob(db: Db, did: Did, now: number, instance = ''): Promise<Job | null> {
  return inTransaction(db, async (transaction) => {
    await lockUntilCommit(transaction, `jobs ${did}`)
    if ((await findRunningJob(transaction, did)) !== null) return null
    const next = await transaction
      .selectFrom('jobs')
      .select(['id', 'dueAt', 'startedAt'])
      .where('did', '=', did)
      .where('instance', '=', instance)
      .where('status', '=', 'pending')
      .orderBy('createdAt')
      .orderBy('id')
      .limit(1)
      .executeTakeFirst()
    if (next === undefined || (next.dueAt ?? 0) > now) return null
    const row = await transaction
      .updateTable('jobs')
      .set({ status: 'processing', error: null, startedAt: next.startedAt ?? now, updatedAt: now })
      .where('id', '=', next.id)
      .returningAll()
      .executeTakeFirstOrThrow()
    return jobOf(row)
  })
}

export interface JobWait {
  readonly dueAt: number
  readonly progress: JobProgress
  /** Shown to the owner meanwhile. */
  readonly error: string | null
  /** The site may have been written: the job cannot be cancelled meanwhile. */
  readonly mayBeWritten: boolean
}

/** Ends the job's attempt: the next one may begin at `dueAt`. False when the job has ended or is unknown. */
export function putBackJob(
  db: Db,
  { id, did }: Pick<Job, 'id' | 'did'>,
  { progress, mayBeWritten, ...back }: JobWait,
  now: number,
): Promise<boolean> {
  return inTransaction(db, async (transaction) => {
    await lockUntilCommit(transaction, `jobs ${did}`)
    return await updateUnfinished(transaction, id, {
      ...back,
      ...(!mayBeWritten && { writingAt: null }),
      status: 'pending',
      progress: JSON.stringify(progress),
      updatedAt: now,
    })
  })
}

/** Makes running jobs pending again whose process has ended. The time limit of all these jobs starts again. */
export async function requeueJobs(db: Db, ids: readonly string[], now: number): Promise<void> {
  for (const chunk of chunksOf(ids)) {
    await db
      .updateTable('jobs')
      .set({ startedAt: null, error: null })
      .where('id', 'in', chunk)
      .where('finishedAt', 'is', null)
      .execute()
    await db
      .updateTable('jobs')
      .set({ status: 'pending', writingAt: null, updatedAt: now })
      .where('id', 'in', chunk)
      .where('status', 'in', ['processing', 'uploading'])
      .execute()
    // Of those that wait to see whether their site was written.
    await db
      .updateTable('jobs')
      .set({ writingAt: now })
      .where('id', 'in', chunk)
      .where('finishedAt', 'is', null)
      .where('writingAt', 'is not', null)
      .execute()
  }
}

interface JobChange {
  readonly status?: 'processing' | 'uploading'
  readonly progress?: JobProgress
}

/** Changes a job after `startNextJob`; false when it has ended or is unknown. */
export function updateJob(
  db: Db,
  id: string,
  { progress, ...change }: JobChange,
  now: number,
): Promise<boolean> {
  const encoded = progress && { progress: JSON.stringify(progress) }
  return updateUnfinished(db, id, { ...change, ...encoded, updatedAt: now })
}

/** Remembers `current` the first time, and returns it every time: the record's CID when the job first looked, or null. */
export async function rememberExpectedCid(
  db: Db,
  id: string,
  current: string | null,
): Promise<string | null> {
  const { expectedCid } = await db
    .updateTable('jobs')
    .set(({ fn, val }) => ({ expectedCid: fn.coalesce('expectedCid', val(current ?? '')) }))
    .where('id', '=', id)
    .returning('expectedCid')
    .executeTakeFirstOrThrow()
  return expectedCid || null
}

/** From now on the job cannot be cancelled; false when it was cancelled or has ended otherwise. Keeps an earlier time. */
export async function beginWriting(db: Db, id: string, now: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('jobs')
    .set(({ fn, val }) => ({ writingAt: fn.coalesce('writingAt', val(now)), updatedAt: now }))
    .where('id', '=', id)
    .where('finishedAt', 'is', null)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

/** Ends a job with this sentence and returns the status that it had; null if it has begun to write, or has ended. */
export function cancelJobUnlessWriting(
  db: Db,
  { id, did }: Pick<Job, 'id' | 'did'>,
  error: string,
  now: number,
): Promise<JobStatus | null> {
  return inTransaction(db, async (transaction) => {
    await lockUntilCommit(transaction, `jobs ${did}`)
    const job = await findJob(transaction, id)
    const { numUpdatedRows } = await transaction
      .updateTable('jobs')
      .set({ status: 'failed', error, plan: '', updatedAt: now, finishedAt: now })
      .where('id', '=', id)
      .where('finishedAt', 'is', null)
      .where('writingAt', 'is', null)
      .executeTakeFirstOrThrow()
    if (numUpdatedRows === 0n) return null
    await forgetDeployFiles(transaction, id)
    return job?.status ?? null
  })
}

/** Names and hashes of files, and what the owner has said of them, stay no longer than the version that they made. */
async function forgetDeployFiles(db: Db, id: string): Promise<void> {
  await db.updateTable('deploys').set({ plan: '' }).where('id', '=', id).execute()
  await db.deleteFrom('deployFiles').where('deployId', '=', id).execute()
}

export type JobEnd =
  | { readonly status: 'completed'; readonly progress: JobProgress; readonly result: JobResult }
  | { readonly status: 'failed'; readonly error: string }

/** Ends a job once, and empties its `plan` and its deploy's: false when it has ended before. */
export function finishJob(db: Db, id: string, end: JobEnd, now: number): Promise<boolean> {
  return inTransaction(db, async (transaction) => {
    const isEnded = await endJob(transaction, id, end, now)
    if (isEnded) await forgetDeployFiles(transaction, id)
    return isEnded
  })
}

/** As `finishJob`; its deploy keeps its plan. */
export function endJob(db: Db, id: string, end: JobEnd, now: number): Promise<boolean> {
  return inTransaction(db, async (transaction) => {
    const isEnded = await setEnd(transaction, id, end, now)
    const job = isEnded && end.status === 'failed' ? await findJob(transaction, id) : null
    if (job === null || end.status === 'completed') return isEnded
    const { did, site } = job
    const failed = { did, site, job: id, error: sentText(storableText(end.error)) }
    await appendWebhookEvent(transaction, 'publish.failed', failed, now)
    return true
  })
}

function setEnd(db: Db, id: string, end: JobEnd, now: number): Promise<boolean> {
  const columns =
    end.status === 'completed'
      ? { progress: JSON.stringify(end.progress), result: JSON.stringify(end.result) }
      : { error: storableText(end.error) }
  const ended = { status: end.status, plan: '', updatedAt: now, finishedAt: now }
  return updateUnfinished(db, id, { ...ended, ...columns })
}

/** False when the job has ended or is unknown. */
async function updateUnfinished(
  db: Db,
  id: string,
  change: Updateable<Schema['jobs']>,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('jobs')
    .set(change)
    .where('id', '=', id)
    .where('finishedAt', 'is', null)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}
