import { beginWriting, updateJob } from '#store/queues/job-steps.ts'
import type { Job, JobProgress } from '#store/queues/jobs.ts'
import type { JobContext } from './job-context.ts'

type ReporterContext = Pick<JobContext, 'db' | 'wakeUps' | 'log' | 'now'>

const reportEveryMs = 200

/**
 * Writes a job's progress to its row, at most five times a second, the newest state only. A failed write does not
 * fail the job.
 */
export class JobReporter {
  readonly #cancelled: AbortController
  /** Aborted once the job is known to have been cancelled: a write of progress finds that, too. */
  readonly cancelled: AbortSignal
  readonly #jobId: string
  readonly #context: ReporterContext
  #latest: JobProgress
  #timer: Timer | undefined
  #isStopped = false
  #writingSince: number | null
  #writing: Promise<void> = Promise.resolve()

  /** `cancelled` is for those who learn of a cancellation before a write does. */
  constructor(
    { id, progress, writingAt }: Pick<Job, 'id' | 'progress' | 'writingAt'>,
    context: ReporterContext,
    cancelled = new AbortController(),
  ) {
    this.#cancelled = cancelled
    this.cancelled = cancelled.signal
    this.#jobId = id
    this.#latest = progress
    this.#writingSince = writingAt
    this.#context = context
  }

  /** From here on the job cannot be cancelled; false when it already was. */
  async beginWriting(): Promise<boolean> {
    const { db, now } = this.#context
    const at = now()
    const isUnfinished = await beginWriting(db, this.#jobId, at)
    if (isUnfinished) this.#writingSince ??= at
    if (!isUnfinished) this.#cancelled.abort()
    return isUnfinished
  }

  /** From when on the site may have been written, in this attempt or an earlier one; null: it was not. */
  get writingSince(): number | null {
    return this.#writingSince
  }

  /** The most recent progress; of the previous attempt until this one reports. */
  get latest(): JobProgress {
    return this.#latest
  }

  /** Adds to what was reported before. */
  report(change: Partial<JobProgress>): void {
    this.#latest = { ...this.#latest, ...change }
    if (this.#isStopped) return
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      this.#writing = this.#writing.then(() => this.#write())
    }, reportEveryMs)
  }

  /** After this, nothing more is written. */
  async stop(): Promise<void> {
    this.#isStopped = true
    clearTimeout(this.#timer)
    await this.#writing
  }

  async #write(): Promise<void> {
    const { db, wakeUps, log, now } = this.#context
    const progress = this.#latest
    const isProcessing = ['validating', 'compressing'].includes(progress.phase)
    const status = isProcessing ? 'processing' : 'uploading'
    try {
      const isRunning = await updateJob(db, this.#jobId, { status, progress }, now())
      if (!isRunning) this.#cancelled.abort()
    } catch (error) {
      log.warn('progress not written', { job: this.#jobId, error })
    }
    wakeUps.notify('job-progress', { about: this.#jobId })
  }
}
