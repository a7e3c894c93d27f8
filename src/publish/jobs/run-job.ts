import { setTimeout } from 'node:timers/promises'
import { AccountRepo } from '#atproto/repo/account-repo.ts'
import type { Lane } from '#concurrency/lane.ts'
import { slowAfterMsDefault } from '#concurrency/lanes.ts'
import { CommitUnknownError } from '#publish/commit-on-head.ts'
import { JobTooSlowError, jobMsMaxDefault, nextTurnAt } from '#publish/job-turns.ts'
import { NotPublishableError } from '#publish/not-publishable.ts'
import { ownFaultOf, waitingSentences } from '#publish/own-fault.ts'
import { failureSentence } from '#publish/publish-failure.ts'
import { publishSite } from '#publish/publish-site.ts'
import type { SiteAddress } from '#site/site-address.ts'
import { DatabaseUnavailableError } from '#store/database/database-unavailable.ts'
import { enqueueSites } from '#store/queues/enqueue.ts'
import { finishJob, type JobEnd, putBackJob } from '#store/queues/job-steps.ts'
import type { Job, JobProgress, JobResult } from '#store/queues/jobs.ts'
import { awaitWithdrawal } from '#store/sites/record-version.ts'
import { heldUpAfter, sessionsInLane } from './held-up.ts'
import type { JobContext, JobPlan } from './job-context.ts'
import { logJob } from './job-events.ts'
import { JobCancelledError, JobReporter } from './job-reporter.ts'
import { waitUntilLive } from './wait-until-live.ts'

const databaseRetryMs = 1_000
/** One call that takes this share of the time after which a job is slow makes it slow, too. */
const slowCallShare = 1 / 3

type TurnEnd =
  | JobEnd
  | {
      readonly status: 'pending'
      readonly dueAt: number
      readonly plan: string
      readonly progress: JobProgress
      /** What it waits for, where that is a fault of ours; null: it waits for its turn or its server. */
      readonly error: string | null
    }

/**
 * Gives a job a turn: it ends, whatever way, and its files go; or it is put back because it has to wait. When
 * `stop` is aborted it stays as it is: the next start goes on with it. Never rejects for what happens to the job.
 */
export async function runJob(
  job: Job,
  lane: Lane,
  context: JobContext,
  stop: AbortSignal,
): Promise<void> {
  const { at, db, hints, now, spool } = context
  const reporter = new JobReporter(job, context)
  at('job-started')
  const end = await takeTurn(job, reporter, lane, context, stop)
  await reporter.stop()
  if (end === null) return
  if (end.status === 'pending') {
    const isBack = await written(() => putBackJob(db, job, end, now()), job, context, stop)
    hints.notify('job-progress')
    // Else it has ended meanwhile: it was cancelled.
    if (isBack !== false) return
  } else {
    // Before anybody sees that it has ended: the next upload of its owner is not refused for this one.
    spool.release(job.id)
    at('before-finish')
    // A job that was cancelled has ended already, and keeps the sentence it ended with.
    if ((await written(() => finishJob(db, job.id, end, now()), job, context, stop)) === null)
      return
    at('after-finish')
  }
  await spool.remove(job.id)
  hints.notify('jobs')
  hints.notify('job-progress')
}

/** What `write` returns, as soon as the database takes it; null when `stop` came first. */
async function written(
  write: () => Promise<boolean>,
  { id }: Job,
  { log }: JobContext,
  stop: AbortSignal,
): Promise<boolean | null> {
  while (!stop.aborted) {
    try {
      return await write()
    } catch (error) {
      if (!(error instanceof DatabaseUnavailableError)) throw error
      log.warn('what became of a job waits for the database', { jobId: id, error })
      await setTimeout(databaseRetryMs, undefined, { signal: stop }).catch(() => undefined)
    }
  }
  return null
}

/** Null when `stop` ended it. */
async function takeTurn(
  job: Job,
  reporter: JobReporter,
  lane: Lane,
  context: JobContext,
  stop: AbortSignal,
): Promise<TurnEnd | null> {
  const { log, now, jobMsMax = jobMsMaxDefault } = context
  // A clock that was put right meanwhile gives nobody more time.
  const startedAt = Math.min(job.startedAt ?? now(), now())
  const givesUpAt = startedAt + jobMsMax
  const timeIsUp = AbortSignal.timeout(Math.max(givesUpAt - now(), 0))
  const signal = AbortSignal.any([stop, lane.signal, timeIsUp])
  let { plan } = job
  let server: string | null = null
  const onFirstLook = (replaces: string | null): void => {
    plan = JSON.stringify({ ...(JSON.parse(plan) as JobPlan), replaces })
  }
  try {
    const onServer = (host: string): void => {
      server = host
    }
    const turn: Turn = { lane, startedAt, stop, signal, onFirstLook, onServer }
    const result = await carryOut(job, reporter, context, turn)
    const progress = { ...reporter.latest, phase: 'done' as const, currentFile: null }
    logJob({ log }, 'site published', {
      ...{ job, server, uri: result.uri, files: result.fileCount, bytes: progress.bytesTotal },
      ms: now() - startedAt,
    })
    return { status: 'completed', progress, result }
  } catch (error) {
    if (stop.aborted) return null
    const reason = lane.signal.aborted ? lane.signal.reason : error
    const dueAt = nextTurnAt(reason, { startedAt, givesUpAt, now: now() })
    if (dueAt !== null) {
      const fault = ownFaultOf(reason)
      const level = fault === null ? 'info' : 'warn'
      logJob({ log, level }, 'job waits', { job, server, dueAt, error: reason })
      return {
        ...{ status: 'pending', dueAt, plan },
        progress: { ...reporter.latest, currentFile: null },
        error: fault && waitingSentences[fault],
      }
    }
    const isCutShort = lane.signal.aborted || timeIsUp.aborted
    const failure = isCutShort && ownFaultOf(error) === null ? tooSlow(job, reporter, error) : error
    return { status: 'failed', error: sentenceOf(job, server, failure, context) }
  }
}

function tooSlow({ did }: Job, { isWriting }: JobReporter, cause: unknown): Error {
  return isWriting ? new CommitUnknownError(did, { cause }) : new JobTooSlowError({ cause })
}

function sentenceOf(job: Job, server: string | null, error: unknown, { log }: JobContext): string {
  if (error instanceof JobCancelledError) {
    logJob({ log }, 'job cancelled', { job, server })
    return 'The upload was cancelled.'
  }
  const sentence = failureSentence(error)
  const level = sentence === null ? 'error' : 'warn'
  logJob({ log, level }, 'publishing failed', { job, server, error })
  return sentence ?? `Something went wrong here (job ${job.id}). Look at your site, then try again.`
}

interface Turn {
  /** Once it is known. */
  readonly onServer: (host: string) => void
  readonly onFirstLook: (replaces: string | null) => void
  readonly lane: Lane
  readonly startedAt: number
  readonly stop: AbortSignal
  /** Also aborted when it has to give way, and when its time is up. */
  readonly signal: AbortSignal
}

async function carryOut(
  job: Job,
  reporter: JobReporter,
  context: JobContext,
  { lane, startedAt, stop, signal, onFirstLook, onServer }: Turn,
): Promise<JobResult> {
  const { identities, oauth, siteUrl, slowAfterMs = slowAfterMsDefault, spool } = context
  const address: SiteAddress = { did: job.did, name: job.site }
  const { files, skippedFiles, retain, replaces } = JSON.parse(job.plan) as JobPlan
  const callMs = slowAfterMs * slowCallShare
  const identity = await heldUpAfter(callMs, lane, () => identities.resolve(job.did, { signal }))
  const { host } = new URL(identity.pds)
  lane.servedBy(host)
  onServer(host)
  await using folder = await spool.openForTurn(job.id)
  const { filesUploaded, bytesUploaded } = job.progress
  const { uri, cid } = await publishSite(address, files, {
    ...context,
    ...{ folder, lane, startedAt, replaces, onFirstLook },
    repo: new AccountRepo(job.did, sessionsInLane(oauth.session, callMs, lane), { signal }),
    host,
    signal: AbortSignal.any([signal, reporter.cancelled]),
    sentBefore: { filesUploaded, bytesUploaded },
    onProgress: (progress) => reporter.report(progress),
    beginWriting: () => reporter.beginWriting(),
  })
  lane.mayGoAside(() => undefined)
  if (retain === false) await awaitWithdrawal(context.db, address, cid)
  return {
    success: true,
    uri,
    cid,
    fileCount: files.length,
    siteName: job.site,
    url: siteUrl(address),
    live: await makeVisible(address, cid, context, stop),
    uploadedCount: reporter.latest.filesUploaded,
    reusedCount: reporter.latest.filesReused,
    skippedFiles,
  }
}

/** Whether visitors see it yet. It is published now: only a refusal by ingest can still fail the job. */
async function makeVisible(
  address: SiteAddress,
  cid: string,
  context: JobContext,
  signal: AbortSignal,
): Promise<boolean> {
  const { db, elapsed, hints, log } = context
  try {
    await enqueueSites(context, [address])
    return await waitUntilLive(address, cid, { db, elapsed, hints, signal })
  } catch (error) {
    if (error instanceof NotPublishableError || signal.aborted) throw error
    // The firehose brings it all the same.
    log.warn('cannot tell whether a site is live', { did: address.did, site: address.name, error })
    return false
  }
}
