import { useEffect, useRef, useState } from 'react'
import { ApiError, cancelJob } from './api.ts'
import type { PickedFile } from './collect-files.ts'
import type { JobResult, JobUpdate } from './job.ts'
import { leaveIfSignedOut } from './session.ts'
import { uploadFiles } from './upload.ts'
import { watchJob } from './watch-job.ts'

export type Publishing =
  | { readonly stage: 'choosing' }
  | { readonly stage: 'sending'; readonly sentBytes: number; readonly totalBytes: number }
  | {
      readonly stage: 'storing'
      readonly jobId: string
      readonly update: JobUpdate | null
      /** Why it could not be cancelled, or null. */
      readonly notice: string | null
    }
  | { readonly stage: 'done'; readonly result: JobResult }
  | { readonly stage: 'failed'; readonly message: string }

/** One publish after the other, from the first byte to the address; asks before the page is left while it sends. */
export function usePublish(onPublished?: () => void) {
  const [publishing, setPublishing] = useState<Publishing>({ stage: 'choosing' })
  const ending = useRef<AbortController>(null)
  useEffect(() => () => ending.current?.abort(), [])
  useLeaveWarning(publishing.stage === 'sending')

  const publish = async (siteName: string, files: readonly PickedFile[]) => {
    const controller = new AbortController()
    ending.current = controller
    const { signal } = controller
    try {
      setPublishing({ stage: 'sending', sentBytes: 0, totalBytes: 0 })
      const onProgress = (sentBytes: number, totalBytes: number) =>
        setPublishing({ stage: 'sending', sentBytes, totalBytes })
      const jobId = await uploadFiles({ siteName, files, onProgress, signal })
      setPublishing({ stage: 'storing', jobId, update: null, notice: null })
      const onUpdate = (update: JobUpdate) =>
        setPublishing((now) => (now.stage === 'storing' ? { ...now, update } : now))
      const result = await watchJob(jobId, { onUpdate, signal })
      setPublishing({ stage: 'done', result })
      onPublished?.()
    } catch (error) {
      if (!signal.aborted && !leaveIfSignedOut(error)) setPublishing(failureOf(error))
    }
  }

  const startOver = () => {
    ending.current?.abort()
    setPublishing({ stage: 'choosing' })
  }

  /** What is being stored goes on until its own end says that it was cancelled. */
  const cancelStoring = async (jobId: string) => {
    try {
      await cancelJob(jobId)
    } catch (error) {
      const notice = messageOf(error)
      setPublishing((now) => (now.stage === 'storing' ? { ...now, notice } : now))
    }
  }

  return { publishing, publish, startOver, cancelStoring }
}

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
