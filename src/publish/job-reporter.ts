import type { Db } from '#store/database.ts'
import type { Hints } from '#store/hints.ts'
import { type JobProgress, updateJob } from '#store/jobs.ts'

const reportEveryMs = 200

interface ReporterContext {
  readonly db: Db
  readonly hints: Hints
  readonly now: () => number
}

/** Writes a job's progress to its row, at most five times a second, the newest state only. */
export class JobReporter {
  readonly #jobId: string
  readonly #context: ReporterContext
  #latest: JobProgress | undefined
  #timer: Timer | undefined
  #writing: Promise<void> = Promise.resolve()

  constructor(jobId: string, context: ReporterContext) {
    this.#jobId = jobId
    this.#context = context
  }

  /** The state as it was last reported. */
  get latest(): JobProgress {
    if (this.#latest === undefined) throw new TypeError('nothing was reported yet')
    return this.#latest
  }

  report(progress: JobProgress): void {
    this.#latest = progress
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      this.#writing = this.#writing.then(() => this.#write(progress))
    }, reportEveryMs)
  }

  /** After this, nothing more is written. */
  async stop(): Promise<void> {
    clearTimeout(this.#timer)
    await this.#writing
  }

  async #write(scheduled: JobProgress): Promise<void> {
    const { db, hints, now } = this.#context
    const progress = this.#latest ?? scheduled
    const status =
      progress.phase === 'validating' || progress.phase === 'compressing'
        ? 'processing'
        : 'uploading'
    await updateJob(db, this.#jobId, { status, progress }, now())
    hints.notify('jobs')
  }
}
