import type { Log } from '#observe/log.ts'
import type { Db } from '#store/database/database.ts'
import type { Hints } from '#store/database/hints.ts'
import { beginWriting, updateJob } from '#store/queues/job-steps.ts'
import type { Job, JobProgress } from '#store/queues/jobs.ts'

const reportEveryMs = 200

/** Somebody ended the job while it was carried out: it was cancelled. */
export class JobCancelledError extends Error {
  override readonly name = 'JobCancelledError'
  readonly jobId: string

  constructor(jobId: string) {
    super(`job cancelled; id=${jobId}`)
    this.jobId = jobId
  }
}

interface ReporterContext {
  readonly db: Db
  readonly hints: Hints
  readonly log: Log
  readonly now: () => number
}

/**
 * Writes a job's progress to its row, at most five times a second, the newest state only. Progress that
 * cannot be written is lost: the job is worth more.
 */
export class JobReporter {
  readonly #cancelled = new AbortController()
  readonly #jobId: string
  readonly #context: ReporterContext
  #latest: JobProgress
  #timer: Timer | undefined
  #isStopped = false
  #isWriting = false
  #writing: Promise<void> = Promise.resolve()

  constructor({ id, progress }: Pick<Job, 'id' | 'progress'>, context: ReporterContext) {
    this.#jobId = id
    this.#latest = progress
    this.#context = context
  }

  /** Aborted with JobCancelledError when the row says that the job has ended. */
  get cancelled(): AbortSignal {
    return this.#cancelled.signal
  }

  /** From here on nobody can cancel the job. Throws JobCancelledError when somebody has. */
  async beginWriting(): Promise<void> {
    const { db, now } = this.#context
    if (!(await beginWriting(db, this.#jobId, now()))) throw new JobCancelledError(this.#jobId)
    this.#isWriting = true
  }

  /** Whether the site may have been written. */
  get isWriting(): boolean {
    return this.#isWriting
  }

  /** The state as it was last reported, in an earlier turn if not in this one. */
  get latest(): JobProgress {
    return this.#latest
  }

  report(progress: JobProgress): void {
    this.#latest = progress
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
    const { db, hints, log, now } = this.#context
    const progress = this.#latest
    const status =
      progress.phase === 'validating' || progress.phase === 'compressing'
        ? 'processing'
        : 'uploading'
    try {
      const isRunning = await updateJob(db, this.#jobId, { status, progress }, now())
      if (!isRunning) this.#cancelled.abort(new JobCancelledError(this.#jobId))
    } catch (error) {
      log.warn('progress not written', { jobId: this.#jobId, error })
    }
    hints.notify('job-progress')
  }
}
