import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { refreshSites } from '#web/server/queries.ts'
import { publishSession } from './publish-session.ts'
import { type Failed, isRunning, type PublishState, type RunningState } from './publish-state.ts'
import { retryUpdate } from './update-site.ts'
import { usePublishSession } from './use-publish-session.ts'
import { isShown, useResumed } from './use-resumed.ts'

/** A publish of a site that is under way, or has failed. */
export interface SitePublish {
  readonly siteName: string
  readonly state: RunningState | Failed
  readonly cancel: () => void
  /** Null: it cannot be tried again from here. */
  readonly retry: (() => void) | null
  /** Forgets that it failed. */
  readonly dismiss: () => void
}

/** What is being published: in this tab, before the document was loaded, or in another tab. One a site. */
export function usePublishes(): readonly SitePublish[] {
  const client = useQueryClient()
  const { publish } = usePublishSession()
  const { resumed, close } = useResumed()
  const done = [publish, ...resumed.map(({ state }) => state)].filter(isDone).length
  useEffect(() => {
    if (done > 0) void refreshSites(client)
  }, [client, done])
  const earlier = resumed.filter(isShown).flatMap(({ job, state, cancel }): SitePublish[] => {
    if (!isRunning(state) && state.stage !== 'failed') return []
    const { siteName } = job
    return [{ siteName, state, cancel, retry: null, dismiss: () => close(job.jobId) }]
  })
  if (!isRunning(publish) && publish.stage !== 'failed') return earlier
  const { siteName } = publish
  const own: SitePublish = {
    siteName,
    state: publish,
    cancel: () => publishSession.cancel(),
    retry: () => void retryUpdate(siteName),
    dismiss: () => void publishSession.clear(),
  }
  return [own, ...earlier.filter((each) => each.siteName !== siteName)]
}

const isDone = ({ stage }: PublishState): boolean => stage === 'done'
