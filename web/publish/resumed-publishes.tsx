import { useEffect, useId, useRef } from 'react'
import { Button } from '#web/parts/controls/button.tsx'
import { Problem } from '#web/parts/controls/problem.tsx'
import { focusOnMount } from '#web/parts/overlays/focus-on-mount.ts'
import { ErrorDetails } from '#web/shell/error-details.tsx'
import { words } from '#web/words/words.ts'
import { PublishProgress } from './publish-progress.tsx'
import PublishResult from './result/publish-result.tsx'
import styles from './uploader.module.css'
import { isShown, type Resumed, useResumed } from './use-resumed.ts'

interface ResumedPublishesProps {
  readonly onPublished: ((siteName: string) => void) | undefined
  /** The button that was pressed is gone: somebody has to take the focus. */
  readonly onClose: () => void
}

/** What was begun earlier or in another tab, with its result. */
export default function ResumedPublishes({ onPublished, onClose }: ResumedPublishesProps) {
  const { resumed, close } = useResumed()
  return resumed.filter(isShown).map((each) => (
    <ResumedPublish
      key={each.job.jobId}
      onClose={() => {
        close(each.job.jobId)
        onClose()
      }}
      onPublished={onPublished}
      resumed={each}
    />
  ))
}

interface ResumedPublishProps extends ResumedPublishesProps {
  readonly resumed: Resumed
}

function ResumedPublish({ resumed, onClose, onPublished }: ResumedPublishProps) {
  const { job, state, cancel } = resumed
  const titleId = useId()
  const told = useRef(onPublished)
  told.current = onPublished
  const isDone = state.stage === 'done'
  useEffect(() => {
    if (isDone) told.current?.(job.siteName)
  }, [isDone, job.siteName])
  const isRunning = state.stage === 'going-live'
  const { progress } = words.publish
  return (
    <section aria-labelledby={titleId} className={styles['uploader']}>
      <h2 id={titleId}>{progress.title(job.siteName)}</h2>
      {isRunning && <PublishProgress onCancel={cancel} state={state} />}
      {state.stage === 'failed' && <Problem>{state.message}</Problem>}
      {state.stage === 'failed' && state.unforeseen !== undefined && (
        <ErrorDetails error={state.unforeseen} />
      )}
      {isDone && <PublishResult leftOut={[]} result={state.result} />}
      {!isRunning && (
        <Button look="secondary" onClick={onClose} ref={focusOnMount}>
          {progress.close}
        </Button>
      )}
    </section>
  )
}
