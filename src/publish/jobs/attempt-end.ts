import type { Lane } from '#concurrency/lane.ts'
import { type EventFields, recordEvent } from '#observe/events.ts'
import type { LogFields } from '#observe/log.ts'
import { CommitUnknownError } from '#publish/commit-on-head.ts'
import { type AttemptPause, nextAttemptAt, tooSlowSentence } from '#publish/job-attempts.ts'
import {
  busySentence,
  cancelledSentence,
  commitUnknownSentence,
  failureSentence,
  ownFaultOf,
  waitingSentences,
} from '#publish/publish-failure.ts'
import type { PublishOutcome } from '#publish/publish-site.ts'
import { confirmMsMaxOf, unconfirmedSentence } from '#publish/unconfirmed-commit.ts'
import type { JobEnd, JobWait } from '#store/queues/job-steps.ts'
import type { Job, JobProgress, JobResult } from '#store/queues/jobs.ts'
import type { JobContext } from './job-context.ts'
import type { JobReporter } from './job-reporter.ts'

/** One try at a job, until it ends or yields. */
export interface Attempt {
  readonly job: Job
  readonly reporter: JobReporter
  readonly lane: Lane
  /** When the job's first attempt began. */
  readonly startedAt: number
  readonly givesUpAt: number
  /** Aborted at `givesUpAt`. */
  readonly timeIsUp: AbortSignal
  /** Host of the account's server, once it is known. */
  server: string | null
}

/** How an attempt's own steps ended. */
export type Outcome =
  | Exclude<PublishOutcome, { kind: 'published' }>
  | { readonly kind: 'completed'; readonly result: JobResult }
  /** The sentence is for its owner. */
  | { readonly kind: 'refused'; readonly sentence: string }
  | { readonly kind: 'failed'; readonly error: unknown }

type AttemptEnd = JobEnd | ({ readonly status: 'pending' } & JobWait)

/** The job's next state, and the log line for it. */
export function endOf(
  ofSteps: Outcome,
  attempt: Attempt,
  { log, now }: Pick<JobContext, 'log' | 'now'>,
): AttemptEnd {
  const { job, reporter, server, startedAt, givesUpAt, timeIsUp } = attempt
  const outcome = judged(ofSteps, attempt)
  const facts: EventFields = {
    job: job.id,
    did: job.did,
    site: job.site,
    // Not known before the account's identity was read.
    ...(server !== null && { server }),
  }
  const failed = (sentence: string | null): AttemptEnd => {
    const level = sentence === null ? 'error' : 'warn'
    recordEvent(log, 'publish_failed', { ...facts, ...reasonOf(outcome, sentence) }, level)
    const defect = `Something went wrong here (job ${job.id}). Look at your site, then try again.`
    return { status: 'failed', error: sentence ?? defect }
  }
  const waits = (pause: AttemptPause, error: string | null): AttemptEnd | null => {
    const dueAt = nextAttemptAt(pause, { startedAt, givesUpAt, now: now() })
    if (dueAt === null) return null
    const level = error === null ? 'info' : 'warn'
    log[level]('publish waits', { ...facts, dueAt, ...reasonOf(outcome, error) })
    return {
      status: 'pending',
      dueAt,
      progress: { ...reporter.latest, currentFile: null },
      error,
      mayBeWritten: pause.kind === 'unconfirmed' || job.writingAt !== null,
    }
  }
  const tooSlow = reporter.writingSince === null ? tooSlowSentence : commitUnknownSentence
  switch (outcome.kind) {
    case 'completed': {
      const { result } = outcome
      const progress: JobProgress = { ...reporter.latest, phase: 'done', currentFile: null }
      recordEvent(log, 'publish_ended', {
        ...facts,
        version: result.cid,
        files: result.fileCount,
        bytes: progress.bytesTotal,
        seconds: (now() - startedAt) / 1000,
      })
      return { status: 'completed', progress, result }
    }
    case 'cancelled':
      recordEvent(log, 'publish_cancelled', facts)
      return { status: 'failed', error: cancelledSentence }
    case 'uploaded':
    case 'yielded':
      return waits(outcome, null) ?? failed(tooSlow)
    case 'busy':
      return (
        waits(outcome, null) ?? failed(timeIsUp.aborted ? tooSlow : busySentence(outcome.retryAt))
      )
    case 'own-fault':
      return (
        waits(outcome, waitingSentences[outcome.fault]) ?? failed(failureSentence(outcome.error))
      )
    case 'unconfirmed':
      return waits(outcome, unconfirmedSentence) ?? failed(unknownSentence(outcome.error))
    case 'refused':
      return failed(outcome.sentence)
    case 'failed':
      return failed(timeIsUp.aborted ? tooSlow : failureSentence(outcome.error))
  }
}

type Judged = Outcome | (AttemptPause & { readonly error?: unknown })

const unknownSentence = (error: unknown): string | null =>
  error instanceof CommitUnknownError ? failureSentence(error) : commitUnknownSentence

/** Cancellation, preemption and our own faults take precedence over the error of the step they broke off. */
function judged(outcome: Outcome, { lane, reporter, timeIsUp }: Attempt): Judged {
  if (outcome.kind === 'completed') return outcome
  if (reporter.cancelled.aborted) return { kind: 'cancelled' }
  if (lane.signal.aborted) return { kind: 'yielded' }
  if (outcome.kind !== 'failed') return outcome
  const fault = ownFaultOf(outcome.error)
  if (fault !== null) return { ...outcome, kind: 'own-fault', fault }
  const since = reporter.writingSince
  const msMax = since === null || timeIsUp.aborted ? null : confirmMsMaxOf(outcome.error)
  if (since === null || msMax === null) return outcome
  return { ...outcome, kind: 'unconfirmed', until: since + msMax }
}

/** The error, or the sentence for the owner, or in a word why the attempt ended. */
function reasonOf(outcome: Judged, sentence: string | null): LogFields {
  const reason = sentence ?? outcome.kind
  return 'error' in outcome ? { reason, error: outcome.error } : { reason }
}
