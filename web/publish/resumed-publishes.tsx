import { useEffect, useId, useState, useSyncExternalStore } from 'react'
import { Button } from '#web/parts/button.tsx'
import { focusOnMount } from '#web/parts/focus-on-mount.ts'
import { Problem } from '#web/parts/problem.tsx'
import { type RememberedJob, rememberedJobs } from '#web/publish/send/remembered-jobs.ts'
import { leaveIfSignedOut } from '#web/server/session.ts'
import { words } from '#web/words/words.ts'
import { PublishEngine } from './publish-engine.ts'
import { PublishProgress } from './publish-progress.tsx'
import PublishResult from './publish-result.tsx'
import { isPublishing, publishSession } from './publish-session.ts'
import styles from './uploader.module.css'

interface ResumedPublishesProps {
  readonly onPublished: (() => void) | undefined
  /** The button that was pressed is gone: somebody has to take the focus. */
  readonly onClose: () => void
}

/** What was begun before this document was loaded, or in another tab, each until its end was read and put away. */
export default function ResumedPublishes({ onPublished, onClose }: ResumedPublishesProps) {
  const [jobs, setJobs] = useState(() => rememberedJobs().filter((job) => !isOfThisTab(job)))
  const close = (closed: RememberedJob) => {
    setJobs(jobs.filter((job) => job !== closed))
    onClose()
  }
  return jobs.map((job) => (
    <ResumedPublish
      job={job}
      key={job.jobId}
      onClose={() => close(job)}
      onPublished={onPublished}
    />
  ))
}

const isOfThisTab = ({ jobId }: RememberedJob): boolean => isPublishing(publishSession.state, jobId)

interface ResumedPublishProps extends ResumedPublishesProps {
  readonly job: RememberedJob
}

function ResumedPublish({ job, onClose, onPublished }: ResumedPublishProps) {
  const titleId = useId()
  const [engine, setEngine] = useState(openEngine)
  const state = useSyncExternalStore(engine.subscribe, () => engine.state)
  useEffect(() => {
    const opened = openEngine()
    setEngine(opened)
    void opened.resume(job).then(() => opened.state.stage === 'done' && onPublished?.())
    return () => opened[Symbol.dispose]()
  }, [job, onPublished])
  const isRunning = state.stage === 'going-live'
  // Until the server has told about it, it may be another account's.
  if (state.stage === 'idle' || (isRunning && state.update === null)) return null
  const { progress } = words.publish
  return (
    <section aria-labelledby={titleId} className={styles['uploader']}>
      <h2 id={titleId}>{progress.title(job.siteName)}</h2>
      {isRunning && <PublishProgress onCancel={() => engine.cancel()} state={state} />}
      {state.stage === 'failed' && <Problem>{state.message}</Problem>}
      {state.stage === 'done' && <PublishResult leftOut={[]} result={state.result} />}
      {!isRunning && (
        <Button look="secondary" onClick={onClose} ref={focusOnMount}>
          {progress.close}
        </Button>
      )}
    </section>
  )
}

const openEngine = () => new PublishEngine({ isSignedOut: leaveIfSignedOut })
