import { ReadError } from '#web/publish/files/picked-file.ts'
import type { JobUpdate } from '#web/publish/send/job.ts'
import type { Waiting } from '#web/publish/send/patience.ts'
import type { PublishRequest, Send, SendProgress } from '#web/publish/send/publish-request.ts'
import { forgetJob, type RememberedJob, rememberJob } from '#web/publish/send/remembered-jobs.ts'
import { BaseChangedError, NoDeploysError, sendDeploy } from '#web/publish/send/send-deploy.ts'
import { sendForm } from '#web/publish/send/send-form.ts'
import { JobFailedError, watchJob } from '#web/publish/send/watch-job.ts'
import { ApiError, cancelJob } from '#web/server/api.ts'
import { isForeseen, reportPageError } from '#web/shell/page-errors.ts'
import { words } from '#web/words/words.ts'
import { type Failed, isRunning, type PublishState, type RunningState } from './publish-state.ts'

interface EngineOptions {
  readonly sendDeploy?: Send
  readonly sendForm?: Send
  readonly watch?: typeof watchJob
  readonly cancelJob?: typeof cancelJob
  readonly remember?: (job: RememberedJob) => void
  readonly forget?: (jobId: string) => void
  /** The service knows of the deploy: another page could go on with it. Nothing is sent before this resolves. */
  readonly onBegun?: (deployId: string) => void | Promise<void>
  /** True for an error that says that the sign-in has ended, when the page is being left. */
  readonly isSignedOut?: (error: unknown) => boolean
  /** A service or server that says nothing for so long is waited for. */
  readonly silenceMs?: number
}

/** Progress is shown at most this often. */
const showMs = 100
const silenceMsDefault = 3000

/**
 * One publish after the other, from the first byte read to the address; no React. `state` is a new object whenever it
 * changes, which `subscribe` tells.
 */
export class PublishEngine {
  readonly #options: EngineOptions
  readonly #listeners = new Set<() => void>()
  #state: PublishState = { stage: 'idle' }
  #request: PublishRequest | null = null
  #run = new AbortController()
  #watching = new AbortController()
  #shown: ReturnType<typeof setTimeout> | null = null
  #silence: ReturnType<typeof setTimeout> | null = null

  constructor(options: EngineOptions = {}) {
    this.#options = options
  }

  get state(): PublishState {
    return this.#state
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Does nothing while another one is running. */
  async publish(request: PublishRequest): Promise<void> {
    if (isRunning(this.#state)) return
    this.#request = request
    this.#run = new AbortController()
    const { signal } = this.#run
    const { siteName, files } = request
    const total = { files: files.length, bytes: files.reduce((sum, { bytes }) => sum + bytes, 0) }
    this.#set({ stage: 'reading', siteName, ...fresh, read: { files: 0, bytes: 0 }, total })
    try {
      const { jobId, sent } = await this.#send(request, signal)
      const { remember = rememberJob } = this.#options
      remember({ jobId, siteName })
      this.#goLive(siteName, jobId)
      if (signal.aborted) void this.#cancelJob(jobId)
      await this.#follow(siteName, jobId, sent)
    } catch (error) {
      if (this.#options.isSignedOut?.(error)) return
      const isCancelled = signal.aborted && error === signal.reason
      this.#set(isCancelled ? cancelledOf(siteName) : failureOf(siteName, error))
    }
  }

  /** The rest of a job that was begun before the page was loaded; `idle` when it is not this account's. */
  async resume({ jobId, siteName }: RememberedJob): Promise<void> {
    this.#goLive(siteName, jobId)
    await this.#follow(siteName, jobId, null, true)
  }

  /** The same again. Does nothing after a success, or when nothing was tried. */
  async retry(): Promise<void> {
    if (this.#request !== null && this.#state.stage === 'failed') await this.publish(this.#request)
  }

  /** What has been sent whole continues until its end reports the cancellation. */
  cancel(): void {
    const state = this.#state
    if (!isRunning(state) || state.isCancelling) return
    this.#set({ ...state, isCancelling: true })
    if (state.stage === 'going-live') void this.#cancelJob(state.jobId)
    else this.#run.abort()
  }

  /** Back to the beginning; does nothing while one is running. */
  reset(): void {
    if (!isRunning(this.#state)) this.#set({ stage: 'idle' })
  }

  /** Stops watching; a job of the service continues. */
  dispose(): void {
    this.#listeners.clear()
    this.#watching.abort()
    if (this.#shown !== null) clearTimeout(this.#shown)
    if (this.#silence !== null) clearTimeout(this.#silence)
  }

  async #send(request: PublishRequest, signal: AbortSignal) {
    const { sendDeploy: deploy = sendDeploy, sendForm: form = sendForm } = this.#options
    let sent: SendProgress | null = null
    const options = {
      signal,
      onRead: (read: { files: number; bytes: number }) => {
        this.#change('reading', { read })
        // The service asks the account's server what it has, before anything is sent.
        if (read.files === request.files.length) this.#listen()
      },
      onSend: (progress: SendProgress) => {
        sent = progress
        const state = this.#state
        if (state.stage === 'sending') this.#change('sending', { sent: progress })
        else if (state.stage === 'reading') {
          const { siteName, isCancelling } = state
          this.#set({ stage: 'sending', siteName, isCancelling, waiting: null, sent: progress })
        }
        if (progress.files === progress.filesTotal) this.#listen()
      },
      onWait: (waiting: Waiting | null) => this.#wait(waiting),
      onBegun: async (deployId: string) => {
        this.#request = { ...request, deployId }
        await this.#options.onBegun?.(deployId)
      },
    }
    const first = request.isSealed ? form : deploy
    try {
      return { jobId: await first(request, options), sent }
    } catch (error) {
      if (!(error instanceof NoDeploysError)) throw error
      return { jobId: await form(request, options), sent }
    }
  }

  /** Forgets the job once its end is known. */
  async #follow(siteName: string, jobId: string, sent: SendProgress | null, isResumed = false) {
    const { watch = watchJob, forget = forgetJob, isSignedOut } = this.#options
    this.#watching = new AbortController()
    const { signal } = this.#watching
    try {
      const result = await watch(jobId, { onUpdate: (update) => this.#update(update), signal })
      forget(jobId)
      this.#request = null
      this.#set({ stage: 'done', siteName, result, sent })
    } catch (error) {
      if (signal.aborted || isSignedOut?.(error)) return
      const status = error instanceof ApiError ? error.status : null
      if (error instanceof JobFailedError || status === 404) forget(jobId)
      // Its deploy has ended with it.
      if (this.#request !== null) this.#request = { ...this.#request, deployId: null }
      const isForeign = isResumed && (status === 404 || status === 403)
      this.#set(isForeign ? { stage: 'idle' } : failureOf(siteName, error))
    }
  }

  #goLive(siteName: string, jobId: string): void {
    const { isCancelling = false } = isRunning(this.#state) ? this.#state : {}
    const running = { siteName, isCancelling, waiting: null }
    this.#set({ stage: 'going-live', ...running, jobId, update: null, notice: null })
    this.#listen()
  }

  #update(update: JobUpdate): void {
    this.#change('going-live', { update, waiting: null })
    this.#listen()
  }

  /** Says so when nothing more is heard. */
  #listen(): void {
    if (this.#silence !== null) clearTimeout(this.#silence)
    const { stage } = this.#state
    const { silenceMs = silenceMsDefault } = this.#options
    this.#silence = setTimeout(() => {
      const state = this.#state
      const isSilent = isRunning(state) && state.stage === stage && state.waiting === null
      if (isSilent) this.#wait('account')
    }, silenceMs)
  }

  async #cancelJob(jobId: string): Promise<void> {
    const { cancelJob: cancel = cancelJob } = this.#options
    try {
      await cancel(jobId)
    } catch (error) {
      this.#change('going-live', { isCancelling: false, notice: messageOf(error) })
    }
  }

  #wait(waiting: Waiting | null): void {
    const state = this.#state
    if (isRunning(state)) this.#set({ ...state, waiting })
  }

  /** Soon shown; ignored in another stage. */
  #change<Stage extends RunningState['stage']>(
    stage: Stage,
    what: Partial<Extract<RunningState, { stage: Stage }>>,
  ): void {
    if (this.#state.stage !== stage) return
    this.#state = { ...this.#state, ...what } as PublishState
    this.#shown ??= setTimeout(() => this.#show(), showMs)
  }

  #set(state: PublishState): void {
    this.#state = state
    this.#show()
  }

  #show(): void {
    if (this.#shown !== null) clearTimeout(this.#shown)
    this.#shown = null
    for (const listener of this.#listeners) listener()
  }
}

const fresh = { isCancelling: false, waiting: null } as const

const cancelledOf = (siteName: string): Failed => ({
  ...{ stage: 'failed', siteName },
  ...{ message: words.publish.cancelled, kind: 'cancelled' },
})

const failureOf = (siteName: string, error: unknown): Failed => ({
  stage: 'failed',
  siteName,
  message: messageOf(error),
  kind: kindOf(error),
  ...(!isForeseen(error) && { unforeseen: error }),
})

function kindOf(error: unknown): Failed['kind'] {
  if (error instanceof BaseChangedError) return 'conflict'
  return error instanceof ReadError ? 'files' : 'refused'
}

function messageOf(error: unknown): string {
  reportPageError(error)
  return isForeseen(error) ? error.message : words.publish.broken
}
