import { useEffect, useRef, useState } from 'react'
import { ApiError } from './api.ts'
import type { PickedFile } from './collect-files.ts'
import type { JobResult, JobUpdate } from './job.ts'
import { leaveIfSignedOut } from './session.ts'
import { uploadFiles } from './upload.ts'
import { watchJob } from './watch-job.ts'

export type Publishing =
  | { readonly stage: 'choosing' }
  | { readonly stage: 'sending'; readonly sentBytes: number; readonly totalBytes: number }
  | { readonly stage: 'storing'; readonly update: JobUpdate | null }
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
      setPublishing({ stage: 'storing', update: null })
      const onUpdate = (update: JobUpdate) => setPublishing({ stage: 'storing', update })
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

  return { publishing, publish, startOver }
}

function failureOf(error: unknown): Publishing {
  const message = error instanceof ApiError ? error.message : 'Something went wrong in this page.'
  return { stage: 'failed', message }
}

function useLeaveWarning(isActive: boolean): void {
  useEffect(() => {
    if (!isActive) return
    const warn = (event: BeforeUnloadEvent) => event.preventDefault()
    addEventListener('beforeunload', warn)
    return () => removeEventListener('beforeunload', warn)
  }, [isActive])
}
