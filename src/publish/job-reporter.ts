import type { Log } from '#observe/log.ts'
import type { Db } from '#store/database.ts'
import type { Hints } from '#store/hints.ts'
import { beginWriting, type JobProgress, updateJob } from '#store/jobs.ts'

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
  #latest: JobProgress | undefined
  #timer: Timer | undefined
  #isStopped = false
  #writing: Promise<void> = Promise.resolve()

  constructor(jobId: string, context: ReporterContext) {
    this.#jobId = jobId
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
  }

  /** The state as it was last reported. */
  get latest(): JobProgress {
    if (this.#latest === undefined) throw new TypeError('nothing was reported yet')
    return this.#latest
  }

  report(progress: JobProgress): void {
    this.#latest = progress
    if (this.#isStopped) return
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      this.#writing = this.#writing.then(() => this.#write(progress))
    }, reportEveryMs)
  }

  /** After this, nothing more is written. */
  async stop(): Promise<void> {
    this.#isStopped = true
    clearTimeout(this.#timer)
    await this.#writing
  }

  async #write(scheduled: JobProgress): Promise<void> {
    const { db, hints, log, now } = this.#context
    const progress = this.#latest ?? scheduled
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
