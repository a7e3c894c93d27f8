import { useId, useState } from 'react'
import { Button } from '#web/parts/button.tsx'
import { Problem } from '#web/parts/problem.tsx'
import { PublishProgress } from './publish-progress.tsx'
import { PublishResult } from './publish-result.tsx'
import { type RememberedJob, rememberedJobs } from './remembered-jobs.ts'
import styles from './uploader.module.css'
import { usePublish } from './use-publish.ts'

interface ResumedPublishesProps {
  readonly onPublished: (() => void) | undefined
  /** The button that was pressed is gone: somebody has to take the focus. */
  readonly onClose: () => void
}

/** What was begun before this page was opened, each until its end was read and put away. */
export function ResumedPublishes({ onPublished, onClose }: ResumedPublishesProps) {
  const [jobs, setJobs] = useState(rememberedJobs)
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

interface ResumedPublishProps extends ResumedPublishesProps {
  readonly job: RememberedJob
}

function ResumedPublish({ job, onClose, onPublished }: ResumedPublishProps) {
  const titleId = useId()
  const { publishing, cancel } = usePublish(onPublished, job)
  const isStoring = publishing.stage === 'storing'
  // Until the server has told about it, it may be another account's.
  if (publishing.stage === 'choosing' || (isStoring && publishing.update === null)) return null
  const isCancelling = isStoring && publishing.isCancelling
  return (
    <section aria-labelledby={titleId} className={styles['uploader']}>
      <h2 id={titleId}>Publishing {job.siteName}</h2>
      {isStoring && <PublishProgress publishing={publishing} />}
      {publishing.stage === 'failed' && <Problem>{publishing.message}</Problem>}
      {publishing.stage === 'done' && <PublishResult leftOut={[]} result={publishing.result} />}
      {/* One button, so that the focus stays on it when it has nothing more to cancel. */}
      <Button isBusy={isCancelling} look="secondary" onClick={isStoring ? cancel : onClose}>
        {isStoring ? 'Cancel' : 'Close'}
      </Button>
    </section>
  )
}
