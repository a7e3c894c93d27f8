import { useEffect, useRef, useState } from 'react'
import { ApiError, cancelJob } from '#web/server/api.ts'
import { leaveIfSignedOut } from '#web/server/session.ts'
import type { PickedFile } from './collect-files.ts'
import type { JobResult, JobUpdate } from './job.ts'
import { forgetJob, type RememberedJob, rememberJob } from './remembered-jobs.ts'
import { uploadFiles } from './upload.ts'
import { JobFailedError, watchJob } from './watch-job.ts'

export type Publishing =
  | { readonly stage: 'choosing' }
  | {
      readonly stage: 'sending'
      readonly sentBytes: number
      readonly totalBytes: number
      readonly isCancelling: boolean
    }
  | {
      readonly stage: 'storing'
      readonly jobId: string
      readonly update: JobUpdate | null
      readonly isCancelling: boolean
      /** Why it could not be cancelled, or null. */
      readonly notice: string | null
    }
  | { readonly stage: 'done'; readonly result: JobResult }
  | { readonly stage: 'failed'; readonly message: string }

/**
 * One publish after the other, from the first byte to the address; asks before the page is left while it sends.
 * With `resumed`, first the rest of that one, or nothing if the server knows no such job of this account.
 */
export function usePublish(onPublished?: () => void, resumed?: RememberedJob) {
  const [publishing, setPublishing] = useState<Publishing>(
    resumed === undefined ? { stage: 'choosing' } : storing(resumed.jobId),
  )
  const watching = useRef<AbortController>(null)
  const cancelling = useRef<AbortController>(null)
  useLeaveWarning(publishing.stage === 'sending')

  const publish = async (siteName: string, files: readonly PickedFile[]) => {
    cancelling.current = new AbortController()
    const { signal: cancelled } = cancelling.current
    const onProgress = (sentBytes: number, totalBytes: number) => {
      const isCancelling = cancelled.aborted
      setPublishing({ stage: 'sending', sentBytes, totalBytes, isCancelling })
    }
    try {
      onProgress(0, 0)
      const jobId = await uploadFiles({ siteName, files, onProgress, signal: cancelled })
      rememberJob({ jobId, siteName })
      setPublishing(storing(jobId))
      if (cancelled.aborted) void cancelStoring(jobId)
      await follow(jobId)
    } catch (error) {
      if (error === cancelled.reason) setPublishing({ stage: 'failed', message: cancelledEarly })
      else if (!leaveIfSignedOut(error)) setPublishing(failureOf(error))
    }
  }

  /** Forgets the job once its end is shown. */
  const follow = async (jobId: string) => {
    watching.current = new AbortController()
    const { signal } = watching.current
    const onUpdate = (update: JobUpdate) =>
      setPublishing((now) => (now.stage === 'storing' ? { ...now, update } : now))
    try {
      const result = await watchJob(jobId, { onUpdate, signal })
      setPublishing({ stage: 'done', result })
      forgetJob(jobId)
      onPublished?.()
    } catch (error) {
      if (signal.aborted || leaveIfSignedOut(error)) return
      const status = error instanceof ApiError ? error.status : null
      if (error instanceof JobFailedError || status === 404) forgetJob(jobId)
      const isForeign = resumed !== undefined && (status === 404 || status === 403)
      setPublishing(isForeign ? { stage: 'choosing' } : failureOf(error))
    }
  }

  const followResumed = useRef(follow)
  const resumedId = resumed?.jobId
  useEffect(() => {
    if (resumedId !== undefined) void followResumed.current(resumedId)
    return () => watching.current?.abort()
  }, [resumedId])

  /** The upload continues until its end reports the cancellation. */
  const cancel = () => {
    if (publishing.stage === 'sending') {
      setPublishing({ ...publishing, isCancelling: true })
      cancelling.current?.abort()
    }
    if (publishing.stage === 'storing') void cancelStoring(publishing.jobId)
  }

  const cancelStoring = async (jobId: string) => {
    const say = (what: { isCancelling: boolean; notice: string | null }) =>
      setPublishing((now) => (now.stage === 'storing' ? { ...now, ...what } : now))
    say({ isCancelling: true, notice: null })
    try {
      await cancelJob(jobId)
    } catch (error) {
      say({ isCancelling: false, notice: messageOf(error) })
    }
  }

  const startOver = () => setPublishing({ stage: 'choosing' })

  return { publishing, publish, startOver, cancel }
}

const storing = (jobId: string): Publishing => ({
  ...{ stage: 'storing', jobId, update: null },
  ...{ isCancelling: false, notice: null },
})

const cancelledEarly = 'Cancelled. Nothing was published.'

const failureOf = (error: unknown): Publishing => ({ stage: 'failed', message: messageOf(error) })

const messageOf = (error: unknown): string =>
  error instanceof ApiError ? error.message : 'Something went wrong in this page.'

function useLeaveWarning(isActive: boolean): void {
  useEffect(() => {
    if (!isActive) return
    const warn = (event: BeforeUnloadEvent) => event.preventDefault()
    addEventListener('beforeunload', warn)
    return () => removeEventListener('beforeunload', warn)
  }, [isActive])
}
