import { setTimeout as sleep } from 'node:timers/promises'
import type { AccountSession, OAuth } from '#atproto/oauth/oauth.ts'
import { AccountRepo } from '#atproto/repo/account-repo.ts'
import type { Lane } from '#concurrency/lane.ts'
import { slowAfterMsDefault } from '#concurrency/lanes.ts'
import { noSpans } from '#observe/spans.ts'
import { bringOver } from '#publish/bring-over.ts'
import { ContentsGoneError } from '#publish/contents/planned-file.ts'
import { storedLedger } from '#publish/contents/stored-ledger.ts'
import { restoreState } from '#publish/history/restore-stored-state.ts'
import { restoreVersion } from '#publish/history/restore-version.ts'
import { jobMsMaxDefault } from '#publish/job-attempts.ts'
import {
  noPreviewScopeSentence,
  noScopeSentence,
  unservedPreviewSentence,
  versionScope,
} from '#publish/new-version.ts'
import { interruptedSentence } from '#publish/publish-failure.ts'
import { type PublishJob, publishSite, type SiteContent } from '#publish/publish-site.ts'
import { deployOpenMs } from '#site/limits.ts'
import type { Did, SiteAddress } from '#site/site-address.ts'
import { DatabaseUnavailableError } from '#store/database/database-unavailable.ts'
import { reopenDeploy } from '#store/queues/deploys.ts'
import { finishJob, putBackJob, rememberExpectedCid } from '#store/queues/job-steps.ts'
import type { Job } from '#store/queues/jobs.ts'
import { awaitWithdrawal } from '#store/sites/withdrawals.ts'
import { type Attempt, endOf, type Outcome } from './attempt-end.ts'
import type { JobContext } from './job-context.ts'
import { type JobPlan, parseJobPlan } from './job-plan.ts'
import { JobReporter } from './job-reporter.ts'
import { jobResult } from './job-result.ts'
import { makeVisible } from './make-visible.ts'

const databaseRetryMs = 1_000
/** One call that takes this share of the time after which a job is slow makes it slow, too. */
const slowCallShare = 1 / 3
/** Sent bytes extend the time limit of a call at this rate. */
const sentBytesPerMs = 256

/**
 * Makes an attempt at a job: the job ends and its files are removed, or it returns to the queue to wait. When `stop`
 * aborts, the job stays as it is and the next start continues it. `cancelled` ends the attempt of a job that has been
 * cancelled. Failures of the job do not reject.
 */
export async function runJob(
  job: Job,
  lane: Lane,
  context: JobContext,
  { stop, cancelled }: { readonly stop: AbortSignal; readonly cancelled: AbortController },
): Promise<void> {
  const { at, db, wakeUps, now, spans = noSpans, spool } = context
  at('job-started')
  const attempt = attemptAt(job, lane, context, cancelled)
  const facts = { did: job.did, site: job.site, job: job.id }
  const outcome = await spans
    .run('publish', facts, async (span) => {
      const outcome = await carryOut(attempt, context, stop)
      span.set('outcome', outcome.kind)
      return outcome
    })
    .catch((error): Outcome => ({ kind: 'failed', error }))
  const isStopped = outcome.kind !== 'completed' && stop.aborted
  const end = isStopped ? null : endOf(outcome, attempt, context)
  await attempt.reporter.stop()
  if (end === null) return
  const written = (write: () => Promise<boolean>) => onceAvailable(write, job, context, stop)
  if (end.status === 'pending') {
    const isBack = await written(() => putBackJob(db, job, end, now()))
    wakeUps.notify('job-progress', { about: job.id })
    // False: the job was cancelled meanwhile.
    if (isBack !== false) return
  } else if (isOfGoneContents(outcome) && end.status === 'failed') {
    // The deploy's files stay: it waits for the others.
    const isOpen = await written(() => reopen(job, outcome.error, end.error, context))
    wakeUps.notify('job-progress', { about: job.id })
    if (isOpen === true) await context.onDeployReopened?.(job.id)
    if (isOpen !== false) return
  } else {
    // Before the end is visible, so that this job does not block its owner's next upload.
    spool.release(job.id)
    at('before-finish')
    // A cancelled job has ended already, and keeps its sentence.
    if ((await written(() => finishJob(db, job.id, end, now()))) === null) return
    at('after-finish')
  }
  await spool.remove(job.id)
  wakeUps.notify('job-progress', { about: job.id })
}

const isOfGoneContents = (
  outcome: Outcome,
): outcome is { kind: 'failed'; error: ContentsGoneError } =>
  outcome.kind === 'failed' && outcome.error instanceof ContentsGoneError

function reopen(
  { id }: Job,
  { files }: ContentsGoneError,
  error: string,
  { db, now }: JobContext,
): Promise<boolean> {
  const at = now()
  return reopenDeploy(db, id, files, { error, expiresAt: at + deployOpenMs, now: at })
}

/** Retries `write` while the database is unavailable; null if `stop` aborts first. */
async function onceAvailable(
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
      log.warn('job status write retried', { job: id, error })
      await sleep(databaseRetryMs, undefined, { signal: stop }).catch(() => undefined)
    }
  }
  return null
}

function attemptAt(job: Job, lane: Lane, context: JobContext, cancelled: AbortController): Attempt {
  const { now, jobMsMax = jobMsMaxDefault } = context
  // A corrected clock does not extend the time limit.
  const startedAt = Math.min(job.startedAt ?? now(), now())
  const givesUpAt = startedAt + jobMsMax
  const timeIsUp = AbortSignal.timeout(Math.max(givesUpAt - now(), 0))
  const reporter = new JobReporter(job, context, cancelled)
  return { job, reporter, lane, startedAt, givesUpAt, timeIsUp, server: null }
}

async function carryOut(
  attempt: Attempt,
  context: JobContext,
  stop: AbortSignal,
): Promise<Outcome> {
  const { blobs, db, identities, now, oauth, spans = noSpans, spool } = context
  const { slowAfterMs = slowAfterMsDefault } = context
  const { job, lane, reporter, startedAt, timeIsUp } = attempt
  const signal = AbortSignal.any([stop, lane.signal, timeIsUp])
  const address: SiteAddress = { did: job.did, name: job.site }
  const plan = parseJobPlan(job.plan)
  if (plan === null) return { kind: 'refused', sentence: interruptedSentence }
  const callMs = slowAfterMs * slowCallShare
  const identity = await heldUpAfter(callMs, lane, () => identities.resolve(job.did, { signal }))
  const { host } = new URL(identity.pds)
  lane.servedBy(host)
  attempt.server = host
  await using folder = await spool.openForAttempt(job.id)
  const mayKeep = (await oauth.scopeOf(job.did)).has(versionScope)
  const preview = plan.version?.preview ?? null
  const isPreview = preview !== null
  if (isPreview && !mayKeep) return { kind: 'refused', sentence: noPreviewScopeSentence }
  const publishing: PublishJob = {
    startedAt,
    version: mayKeep ? (plan.version ?? null) : null,
    sentBefore: job.progress,
    lane,
    rememberExpectedCid: (current) => rememberExpectedCid(db, job.id, current),
    report: (change) => reporter.report(change),
    beginWriting: () => reporter.beginWriting(),
  }
  const repo = new AccountRepo(job.did, sessionsInLane(oauth, callMs, lane), { signal })
  const ledger = storedLedger({ did: job.did, host, db, blobs, now })
  const forSite = { folder, repo, ledger, signal: AbortSignal.any([signal, reporter.cancelled]) }
  // A process that was stopped for long finds its job ended by another instance.
  const beforeCommit = async (): Promise<void> => {
    await reporter.beginWriting()
    reporter.cancelled.throwIfAborted()
  }
  const { bringOver: source, restore } = plan
  const within = { ...context, ...forSite, beforeCommit }
  const outcome = await spans.run('publish.write-site', { server: host }, () => {
    if (source !== undefined) return bringOver(address, source, publishing, within)
    if (restore === undefined) return publishSite(address, contentOf(plan), publishing, within)
    if ('stateId' in restore) return restoreState(address, restore, publishing, within)
    return restoreVersion(address, restore, { ...publishing, mayKeep }, within)
  })
  if (outcome.kind !== 'published') return outcome
  lane.detachWhenSlow()
  if (!plan.retain) await awaitWithdrawal(db, address, outcome.cid)
  const shown = await spans.run('publish.wait-until-live', { version: outcome.cid }, () =>
    makeVisible(address, outcome, { isPreview }, context, stop),
  )
  if (shown.site.kind === 'refused') return shown.site
  if (isPreview && shown.version.kind === 'refused') {
    return { kind: 'refused', sentence: unservedPreviewSentence(shown.version.problem) }
  }
  const facts = { preview, skippedFiles: plan.skippedFiles, progress: reporter.latest, shown }
  const versionProblem = mayKeep || restore ? outcome.versionProblem : noScopeSentence
  const result = jobResult(address, { ...outcome, versionProblem }, facts, context)
  return { kind: 'completed', result }
}

const contentOf = ({ files, changes, settings }: JobPlan): SiteContent => ({
  files,
  changes,
  settings: settings && { kind: 'fields', settings },
})

/** Marks the lane as held up when `work` takes longer than `ms`. */
async function heldUpAfter<T>(ms: number, lane: Lane, work: () => Promise<T>): Promise<T> {
  const timer = setTimeout(() => lane.isHeldUp(), ms)
  try {
    return await work()
  } finally {
    clearTimeout(timer)
  }
}

/** Opens the sessions of jobs; marks the lane as held up when a call to the account's server exceeds `ms`. */
function sessionsInLane(
  oauth: Pick<OAuth, 'session'>,
  ms: number,
  lane: Lane,
): (did: Did) => Promise<AccountSession> {
  return async (did) => {
    const session = await heldUpAfter(ms, lane, () => oauth.session(did, 'jobs'))
    const handle: AccountSession['handle'] = (path, init) =>
      heldUpAfter(ms + sizeOf(init?.body) / sentBytesPerMs, lane, () => session.handle(path, init))
    return { did: session.did, handle }
  }
}

const sizeOf = (body: unknown): number => (body instanceof Blob ? body.size : 0)
