import { AccountRepo } from '#atproto/account-repo.ts'
import type { Identities } from '#atproto/identity.ts'
import type { OAuth } from '#atproto/oauth.ts'
import type { BlobStore } from '#blobs/blob-store.ts'
import type { Log } from '#observe/log.ts'
import type { SiteAddress } from '#site/site-address.ts'
import { parseSiteName } from '#site/site-name.ts'
import type { Db } from '#store/database.ts'
import type { Hints } from '#store/hints.ts'
import { enqueueIngest } from '#store/ingest-queue.ts'
import {
  createJob,
  finishJob,
  type Job,
  type JobAdmission,
  type JobResult,
  listUnfinishedJobs,
  startNextJob,
} from '#store/jobs.ts'
import { JobReporter } from './job-reporter.ts'
import { failureSentence } from './publish-failure.ts'
import { progressAtStart, publishSite } from './publish-site.ts'
import type { ReceivedUpload, SkippedFile, UploadedFile } from './receive-upload.ts'
import type { Spool } from './spool.ts'
import { waitUntilLive } from './wait-until-live.ts'

export const queuedJobsMax = 5
const runningJobsMax = 4
const lookAgainMs = 5_000
const interrupted = 'The upload was interrupted. Nothing was published; try again.'

export interface JobContext {
  readonly db: Db
  readonly spool: Spool
  readonly blobs: BlobStore
  readonly oauth: OAuth
  readonly identities: Identities
  readonly hints: Hints
  readonly log: Log
  readonly siteUrl: (address: SiteAddress) => string
  readonly now: () => number
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

/** Ends the jobs that a dead process left running, and frees what nobody needs any more. */
export async function endInterruptedJobs({ db, spool, now }: JobContext): Promise<void> {
  const unfinished = await listUnfinishedJobs(db)
  for (const job of unfinished.filter(isStarted)) {
    await finishJob(db, job.id, { status: 'failed', error: interrupted }, now())
  }
  await spool.sweep(new Set(unfinished.filter((job) => !isStarted(job)).map((job) => job.id)))
}

const isStarted = (job: Job): boolean => job.status !== 'pending'

/** Carries out queued jobs until the signal ends it: one an account, a few at once. */
export async function runJobs(context: JobContext, signal: AbortSignal): Promise<void> {
  const { db, hints, now } = context
  using hinted = hints.subscribe('jobs')
  const running = new Set<Promise<void>>()
  while (!signal.aborted) {
    const waiting = (await listUnfinishedJobs(db)).filter((job) => !isStarted(job))
    for (const did of new Set(waiting.map((job) => job.did))) {
      if (running.size >= runningJobsMax) break
      const job = await startNextJob(db, did, now())
      if (job === null) continue
      const work = runJob(job, context, signal).finally(() => {
        running.delete(work)
        hints.notify('jobs')
      })
      running.add(work)
    }
    await hinted.wait(lookAgainMs, signal)
  }
  await Promise.all(running)
}

async function runJob(job: Job, context: JobContext, signal: AbortSignal): Promise<void> {
  const { db, hints, log, now, spool } = context
  const reporter = new JobReporter(job.id, context)
  try {
    const result = await carryOut(job, reporter, context, signal)
    const progress = { ...reporter.latest, phase: 'done' as const, currentFile: null }
    await reporter.stop()
    await finishJob(db, job.id, { status: 'completed', progress, result }, now())
    log.info('site published', { jobId: job.id, did: job.did, site: job.site, uri: result.uri })
  } catch (error) {
    await reporter.stop()
    // Stopping is not failing: the next start says what became of it.
    if (signal.aborted) return
    const sentence = failureSentence(error)
    log[sentence === null ? 'error' : 'warn']('publishing failed', { jobId: job.id, error })
    const shown = sentence ?? `Something went wrong here (job ${job.id}). Nothing was published.`
    await finishJob(db, job.id, { status: 'failed', error: shown }, now())
  }
  await spool.remove(job.id)
  hints.notify('jobs')
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
    repo: new AccountRepo(await oauth.session(job.did)),
    host: new URL(identity.pds).host,
    folder: await spool.open(job.id),
    signal,
    onProgress: (progress) => reporter.report(progress),
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
