import { setTimeout } from 'node:timers/promises'
import { AccountRepo } from '#atproto/account-repo.ts'
import type { SiteAddress } from '#site/site-address.ts'
import { DatabaseUnavailableError } from '#store/database-unavailable.ts'
import { enqueueIngest } from '#store/ingest-queue.ts'
import { finishJob, type Job, type JobEnd, type JobResult } from '#store/jobs.ts'
import { JobCancelledError, JobReporter } from './job-reporter.ts'
import type { JobContext, JobPlan } from './jobs.ts'
import { NotPublishableError } from './not-publishable.ts'
import { failureSentence } from './publish-failure.ts'
import { publishSite } from './publish-site.ts'
import { waitUntilLive } from './wait-until-live.ts'

const databaseRetryMs = 1_000

/**
 * Carries out a job to its end, whatever that is, and frees its files. When the signal is aborted the job
 * stays as it is: the next start goes on with it. Never rejects for what happens to the job.
 */
export async function runJob(job: Job, context: JobContext, signal: AbortSignal): Promise<void> {
  const { at, hints, log, spool } = context
  const reporter = new JobReporter(job.id, context)
  at('job-started')
  let end: JobEnd
  try {
    const result = await carryOut(job, reporter, context, signal)
    const progress = { ...reporter.latest, phase: 'done' as const, currentFile: null }
    end = { status: 'completed', progress, result }
    log.info('site published', { jobId: job.id, did: job.did, site: job.site, uri: result.uri })
  } catch (error) {
    if (signal.aborted) return await reporter.stop()
    end = { status: 'failed', error: sentenceOf(job, error, context) }
  }
  await reporter.stop()
  at('before-finish')
  if (!(await endJob(job.id, end, context, signal))) return
  at('after-finish')
  await spool.remove(job.id)
  hints.notify('jobs')
  hints.notify('job-progress')
}

/** A job that was cancelled has ended already, and keeps the sentence it ended with. */
async function endJob(
  id: string,
  end: JobEnd,
  { db, log, now }: JobContext,
  signal: AbortSignal,
): Promise<boolean> {
  while (!signal.aborted) {
    try {
      await finishJob(db, id, end, now())
      return true
    } catch (error) {
      if (!(error instanceof DatabaseUnavailableError)) throw error
      log.warn('the end of a job waits for the database', { jobId: id, error })
      await setTimeout(databaseRetryMs, undefined, { signal }).catch(() => undefined)
    }
  }
  return false
}

function sentenceOf(job: Job, error: unknown, { log }: JobContext): string {
  if (error instanceof JobCancelledError) {
    log.info('job cancelled', { jobId: job.id })
    return 'The upload was cancelled.'
  }
  const sentence = failureSentence(error)
  log[sentence === null ? 'error' : 'warn']('publishing failed', { jobId: job.id, error })
  return sentence ?? `Something went wrong here (job ${job.id}). Look at your site, then try again.`
}

async function carryOut(
  job: Job,
  reporter: JobReporter,
  context: JobContext,
  signal: AbortSignal,
): Promise<JobResult> {
  const { identities, oauth, siteUrl, spool } = context
  const address: SiteAddress = { did: job.did, name: job.site }
  const { files, skippedFiles } = JSON.parse(job.plan) as JobPlan
  const identity = await identities.resolve(job.did, { signal })
  await using folder = await spool.open(job.id)
  const { uri, cid } = await publishSite(address, files, {
    ...context,
    repo: new AccountRepo(job.did, oauth.session, { signal }),
    host: new URL(identity.pds).host,
    folder,
    signal: AbortSignal.any([signal, reporter.cancelled]),
    onProgress: (progress) => reporter.report(progress),
    beginWriting: () => reporter.beginWriting(),
  })
  return {
    success: true,
    uri,
    cid,
    fileCount: files.length,
    siteName: job.site,
    url: siteUrl(address),
    live: await makeVisible(address, cid, context, signal),
    uploadedCount: reporter.latest.filesUploaded,
    reusedCount: reporter.latest.filesReused,
    skippedFiles,
  }
}

/** Whether visitors see it yet. It is published now: only a refusal by ingest can still fail the job. */
async function makeVisible(
  address: SiteAddress,
  cid: string,
  { db, hints, log, now }: JobContext,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    await enqueueIngest(db, [address], now())
    hints.notify('ingest')
    return await waitUntilLive(address, cid, { db, hints, now, signal })
  } catch (error) {
    if (error instanceof NotPublishableError || signal.aborted) throw error
    // The firehose brings it all the same.
    log.warn('cannot tell whether a site is live', { did: address.did, site: address.name, error })
    return false
  }
}
