import type { HashProgress } from '#web/publish/files/hash-files.ts'
import type { JobResult, JobUpdate } from '#web/publish/send/job.ts'
import type { Waiting } from '#web/publish/send/patience.ts'
import type { SendProgress } from '#web/publish/send/publish-request.ts'

interface Running {
  readonly siteName: string
  readonly isCancelling: boolean
  readonly waiting: Waiting | null
}

/** The files are being read, to know which of them the service has. */
export interface Reading extends Running {
  readonly stage: 'reading'
  readonly read: HashProgress
  readonly total: HashProgress
}

export interface Sending extends Running {
  readonly stage: 'sending'
  readonly sent: SendProgress
}

/** The service writes the site to its account and puts it online: the page may be closed. */
export interface GoingLive extends Running {
  readonly stage: 'going-live'
  readonly jobId: string
  readonly update: JobUpdate | null
  /** Why it could not be cancelled, or null. */
  readonly notice: string | null
}

export interface Failed {
  readonly stage: 'failed'
  readonly siteName: string
  readonly message: string
  /** `conflict`: the site changed meanwhile. `files`: what was chosen has to be chosen again. */
  readonly kind: 'cancelled' | 'conflict' | 'files' | 'refused'
  /** Set when nobody foresaw it. */
  readonly unforeseen?: unknown
}

export type PublishState =
  | { readonly stage: 'idle' }
  | Reading
  | Sending
  | GoingLive
  | {
      readonly stage: 'done'
      readonly siteName: string
      readonly result: JobResult
      readonly sent: SendProgress | null
    }
  | Failed

export type RunningState = Reading | Sending | GoingLive

export const isRunning = (state: PublishState): state is RunningState =>
  state.stage === 'reading' || state.stage === 'sending' || state.stage === 'going-live'
