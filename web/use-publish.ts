import { useEffect, useRef, useState } from 'react'
import { ApiError, cancelJob } from './api.ts'
import type { PickedFile } from './collect-files.ts'
import type { JobResult, JobUpdate } from './job.ts'
import { leaveIfSignedOut } from './session.ts'
import { uploadFiles } from './upload.ts'
import { watchJob } from './watch-job.ts'

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

/** One publish after the other, from the first byte to the address; asks before the page is left while it sends. */
export function usePublish(onPublished?: () => void) {
  const [publishing, setPublishing] = useState<Publishing>({ stage: 'choosing' })
  const watching = useRef<AbortController>(null)
  const cancelling = useRef<AbortController>(null)
  useEffect(() => () => watching.current?.abort(), [])
  useLeaveWarning(publishing.stage === 'sending')

  const publish = async (siteName: string, files: readonly PickedFile[]) => {
    watching.current = new AbortController()
    cancelling.current = new AbortController()
    const { signal } = watching.current
    const { signal: cancelled } = cancelling.current
    const onProgress = (sentBytes: number, totalBytes: number) => {
      const isCancelling = cancelled.aborted
      setPublishing({ stage: 'sending', sentBytes, totalBytes, isCancelling })
    }
    try {
      onProgress(0, 0)
      const jobId = await uploadFiles({ siteName, files, onProgress, signal: cancelled })
      setPublishing({ stage: 'storing', jobId, ...nothingYet })
      if (cancelled.aborted) void cancelStoring(jobId)
      const onUpdate = (update: JobUpdate) =>
        setPublishing((now) => (now.stage === 'storing' ? { ...now, update } : now))
      const result = await watchJob(jobId, { onUpdate, signal })
      setPublishing({ stage: 'done', result })
      onPublished?.()
    } catch (error) {
      if (error === cancelled.reason) setPublishing({ stage: 'failed', message: cancelledEarly })
      else if (!signal.aborted && !leaveIfSignedOut(error)) setPublishing(failureOf(error))
    }
  }

  /** What is on its way goes on until its own end says that it was cancelled. */
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

const nothingYet = { update: null, isCancelling: false, notice: null }

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
