import { useCallback, useEffect, useReducer, useRef, useState } from 'react'
import { type RememberedJob, rememberedJobs } from '#web/publish/send/remembered-jobs.ts'
import { leaveIfSignedOut } from '#web/server/session.ts'
import type { PublishEngine } from './publish-engine.ts'
import { isPublishing, publishSession } from './publish-session.ts'
import type { PublishState } from './publish-state.ts'

export interface Resumed {
  readonly job: RememberedJob
  readonly state: PublishState
  readonly cancel: () => void
}

/** What was begun before this document was loaded, or in another tab, each until its end was read and put away. */
export function useResumed(): {
  readonly resumed: readonly Resumed[]
  readonly close: (jobId: string) => void
} {
  const [jobs, setJobs] = useState(() => rememberedJobs().filter((job) => !isOfThisTab(job)))
  const [, render] = useReducer((count: number) => count + 1, 0)
  const engines = useRef<ReadonlyMap<string, PublishEngine>>(new Map())
  const [begun] = useState(jobs)
  useEffect(() => {
    if (begun.length === 0) return
    const opened = new Map<string, PublishEngine>()
    engines.current = opened
    let isGone = false
    // Who is offline now sees them after the next load.
    void import('./publish-engine.ts')
      .catch(() => null)
      .then((loaded) => {
        if (isGone || loaded === null) return
        for (const job of begun) {
          const engine = new loaded.PublishEngine({ isSignedOut: leaveIfSignedOut })
          engine.subscribe(render)
          opened.set(job.jobId, engine)
          void engine.resume(job)
        }
      })
    return () => {
      isGone = true
      for (const engine of opened.values()) engine.dispose()
    }
  }, [begun])
  const close = useCallback(
    (jobId: string) => setJobs((before) => before.filter((job) => job.jobId !== jobId)),
    [],
  )
  const resumed = jobs.flatMap((job) => {
    const engine = engines.current.get(job.jobId)
    return engine === undefined ? [] : { job, state: engine.state, cancel: () => engine.cancel() }
  })
  return { resumed, close }
}

/** Until the server has told about it, it may be another account's. */
export const isShown = ({ state }: Resumed): boolean =>
  state.stage !== 'idle' && !(state.stage === 'going-live' && state.update === null)

const isOfThisTab = ({ jobId }: RememberedJob): boolean => isPublishing(publishSession.state, jobId)
