import { AccountRepo } from '#atproto/account-repo.ts'
import type { Identities } from '#atproto/identity.ts'
import type { OAuth } from '#atproto/oauth.ts'
import type { BlobStore } from '#blobs/blob-store.ts'
import type { Log } from '#observe/log.ts'
import type { SiteAddress } from '#site/site-address.ts'
import { parseSiteName } from '#site/site-name.ts'
import type { Db } from '#store/database.ts'
import { DatabaseUnavailableError } from '#store/database-unavailable.ts'
import type { Hints } from '#store/hints.ts'
import { enqueueIngest } from '#store/ingest-queue.ts'
import {
  createJob,
  finishJob,
  type Job,
  type JobAdmission,
  type JobResult,
  listUnfinishedJobs,
  requeueJobs,
  startNextJob,
} from '#store/jobs.ts'
import type { AtFailPoint } from './fail-points.ts'
import { JobReporter } from './job-reporter.ts'
import { failureSentence } from './publish-failure.ts'
import { progressAtStart, publishSite } from './publish-site.ts'
import type { ReceivedUpload } from './receive-upload.ts'
import type { Spool } from './spool.ts'
import type { SkippedFile, UploadedFile } from './upload-tree.ts'
import { waitUntilLive } from './wait-until-live.ts'

export const queuedJobsMax = 5
const runningJobsMax = 4
const lookAgainMs = 5_000
const interrupted = 'The upload was interrupted. Nothing was published; try again.'
const cancelled = 'The upload was cancelled. Nothing was published.'

export interface JobContext {
  readonly db: Db
  readonly spool: Spool
  readonly blobs: BlobStore
  readonly oauth: Pick<OAuth, 'session'>
  readonly identities: Pick<Identities, 'resolve'>
  readonly hints: Hints
  readonly log: Log
  readonly siteUrl: (address: SiteAddress) => string
  readonly now: () => number
  readonly at: AtFailPoint
}

/** What a job needs after the upload request is gone. */
interface JobPlan {
  readonly files: readonly UploadedFile[]
  readonly skippedFiles: readonly SkippedFile[]
}

/** Queues a received upload, whose files stay in the spool under the job's id. */
export async function queueJob(
  id: string,
  { did, name }: SiteAddress,
  { files, skippedFiles }: ReceivedUpload,
  { db, hints, now }: Pick<JobContext, 'db' | 'hints' | 'now'>,
): Promise<JobAdmission> {
  const plan: JobPlan = { files, skippedFiles }
  const admission = await createJob(
    db,
    { id, did, site: name, progress: progressAtStart(files), plan: JSON.stringify(plan) },
    { queuedMax: queuedJobsMax, now: now() },
  )
  hints.notify('jobs')
  return admission
}

export type Cancellation = 'cancelled' | 'too-late' | 'ended'

/** Ends a job before it writes to the repository; what it has sent to the server is kept for a next try. */
export async function cancelJob(
  job: Job,
  { db, hints, now, spool }: Pick<JobContext, 'db' | 'hints' | 'now' | 'spool'>,
): Promise<Cancellation> {
  if (job.finishedAt !== null) return 'ended'
  if (isWriting(job)) return 'too-late'
  const isCancelled = await finishJob(db, job.id, { status: 'failed', error: cancelled }, now())
  // A job that runs removes its own folder when it notices.
  if (isCancelled && !isStarted(job)) await spool.remove(job.id)
  hints.notify('jobs')
  return isCancelled ? 'cancelled' : 'ended'
}

/**
 * Puts the jobs that a dead process left running back into the queue, ends those whose files are gone,
 * and frees what belongs to no job.
 */
export async function recoverJobs({ db, spool, now }: JobContext): Promise<void> {
  const unfinished = await listUnfinishedJobs(db)
  const kept = new Set<string>()
  for (const job of unfinished) {
    if (await spool.has(job.id)) {
      kept.add(job.id)
      spool.hold(job.id, job.progress.bytesTotal)
    } else await finishJob(db, job.id, { status: 'failed', error: interrupted }, now())
  }
  const started = unfinished.filter((job) => isStarted(job) && kept.has(job.id))
  await requeueJobs(
    db,
    started.map((job) => job.id),
    now(),
  )
  await spool.sweep(kept)
}

const isWriting = ({ progress: { phase } }: Job): boolean =>
  phase === 'creating_manifest' || phase === 'finalizing'

const isStarted = (job: Job): boolean => job.status !== 'pending'

/**
 * Carries out queued jobs until the signal ends it: one an account, a few at once. A database that is
 * away is waited for.
 */
export async function runJobs(context: JobContext, signal: AbortSignal): Promise<void> {
  const { hints, log } = context
  using hinted = hints.subscribe('jobs')
  const running = new Set<Promise<void>>()
  while (!signal.aborted) {
    try {
      await startJobs(running, context, signal)
    } catch (error) {
      if (!(error instanceof DatabaseUnavailableError)) throw error
      log.warn('jobs wait for the database', { error })
    }
    await hinted.wait(lookAgainMs, signal)
  }
  await Promise.all(running)
}

async function startJobs(
  running: Set<Promise<void>>,
  context: JobContext,
  signal: AbortSignal,
): Promise<void> {
  const { db, hints, log, now } = context
  const waiting = (await listUnfinishedJobs(db)).filter((job) => !isStarted(job))
  for (const did of new Set(waiting.map((job) => job.did))) {
    if (running.size >= runningJobsMax) return
    const job = await startNextJob(db, did, now())
    if (job === null) continue
    const work = runJob(job, context, signal)
      .catch((error) => log.error('job could not be ended', { jobId: job.id, error }))
      .finally(() => {
        running.delete(work)
        hints.notify('jobs')
      })
    running.add(work)
  }
}

async function runJob(job: Job, context: JobContext, signal: AbortSignal): Promise<void> {
  const { at, db, hints, log, now, spool } = context
  const reporter = new JobReporter(job.id, context)
  at('job-started')
  try {
    const result = await carryOut(job, reporter, context, signal)
    const progress = { ...reporter.latest, phase: 'done' as const, currentFile: null }
    await reporter.stop()
    at('before-finish')
    await finishJob(db, job.id, { status: 'completed', progress, result }, now())
    at('after-finish')
    log.info('site published', { jobId: job.id, did: job.did, site: job.site, uri: result.uri })
  } catch (error) {
    await reporter.stop()
    // Stopping is not failing: the next start goes on with it.
    if (signal.aborted) return
    if (reporter.cancelled.aborted) log.info('job cancelled', { jobId: job.id })
    else await failJob(job, error, context)
  }
  await spool.remove(job.id)
  hints.notify('jobs')
}

async function failJob(job: Job, error: unknown, { db, log, now }: JobContext): Promise<void> {
  const sentence = failureSentence(error)
  log[sentence === null ? 'error' : 'warn']('publishing failed', { jobId: job.id, error })
  const shown = sentence ?? `Something went wrong here (job ${job.id}). Nothing was published.`
  await finishJob(db, job.id, { status: 'failed', error: shown }, now())
}

async function carryOut(
  job: Job,
  reporter: JobReporter,
  context: JobContext,
  signal: AbortSignal,
): Promise<JobResult> {
  const { db, hints, identities, now, oauth, siteUrl, spool } = context
  const name = parseSiteName(job.site)
  if (name === null) throw new TypeError(`job ${job.id} has a bad site name`)
  const address = { did: job.did, name }
  const { files, skippedFiles } = JSON.parse(job.plan) as JobPlan
  const identity = await identities.resolve(job.did)
  const { uri, cid } = await publishSite(address, files, {
    ...context,
    repo: new AccountRepo(job.did, oauth.session),
    host: new URL(identity.pds).host,
    folder: await spool.open(job.id),
    signal: AbortSignal.any([signal, reporter.cancelled]),
    onProgress: (progress) => reporter.report(progress),
    assertWanted: () => reporter.assertWanted(),
  })
  await enqueueIngest(db, [address], now())
  hints.notify('ingest')
  return {
    success: true,
    uri,
    cid,
    fileCount: files.length,
    siteName: name,
    url: siteUrl(address),
    live: await waitUntilLive(address, cid, { db, hints, now, signal }),
    uploadedCount: reporter.latest.filesUploaded,
    reusedCount: reporter.latest.filesReused,
    skippedFiles,
  }
}
