import { recordEvent } from '#observe/events.ts'
import { cancelledSentence } from '#publish/publish-failure.ts'
import { cancelJobUnlessWriting } from '#store/queues/job-steps.ts'
import { findJob, type Job } from '#store/queues/jobs.ts'
import { wakeJobsOf } from '#store/queues/wake-jobs.ts'
import type { JobContext } from './job-context.ts'

export type Cancellation = 'cancelled' | 'too-late' | 'ended'

interface CancelledJob {
  readonly outcome: Cancellation
  /** It had no attempt under way that could remove its files and report. */
  readonly wasWaiting: boolean
}

/** Ends a job for its owner unless it is writing to the repository. The next upload reuses the blobs that it has sent. */
export async function cancelJob(
  job: Job,
  context: Pick<JobContext, 'db' | 'log' | 'wakeUps' | 'now' | 'spool'>,
): Promise<Cancellation> {
  const cancelled = await markCancelled(job, context, cancelledSentence)
  await settleCancelled(job, cancelled, context)
  return cancelled.outcome
}

/** Ends a job in the database only, with this sentence. After the commit, `settleCancelled` does the rest. */
export async function markCancelled(
  job: Job,
  { db, now }: Pick<JobContext, 'db' | 'now'>,
  sentence: string,
): Promise<CancelledJob> {
  const was = await cancelJobUnlessWriting(db, job, sentence, now())
  if (was !== null) return { outcome: 'cancelled', wasWaiting: was === 'pending' }
  const isWriting = (await findJob(db, job.id))?.finishedAt === null
  return { outcome: isWriting ? 'too-late' : 'ended', wasWaiting: false }
}

/** Reports a cancelled job and removes its files, which no rollback would bring back. */
export async function settleCancelled(
  job: Job,
  { outcome, wasWaiting }: CancelledJob,
  { log, spool, wakeUps }: Pick<JobContext, 'log' | 'spool' | 'wakeUps'>,
): Promise<void> {
  if (outcome !== 'cancelled') return
  // A running job removes its own folder when it notices, and reports.
  if (wasWaiting) {
    recordEvent(log, 'publish_cancelled', { job: job.id, did: job.did, site: job.site })
    await spool.remove(job.id)
  }
  wakeJobsOf(job.instance, wakeUps)
  wakeUps.notify('job-progress', { about: job.id })
}
