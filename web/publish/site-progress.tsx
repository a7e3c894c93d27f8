import { X } from 'lucide-react'
import { Button } from '#web/parts/controls/button.tsx'
import { IconButton } from '#web/parts/controls/icon-button.tsx'
import { Problem } from '#web/parts/controls/problem.tsx'
import { publishTicks, Ticks } from '#web/parts/ticks.tsx'
import { ErrorDetails } from '#web/shell/error-details.tsx'
import { words } from '#web/words/words.ts'
import { noticeOf, progressOf } from './publish-progress.tsx'
import type { RunningState } from './publish-state.ts'
import styles from './site-progress.module.css'
import type { SitePublish } from './use-publishes.ts'

/** How far the publish of a site is, in its row or below its name; or why it failed. */
export function SiteProgress({ publish }: { publish: SitePublish }) {
  const { state, siteName, cancel, retry, dismiss } = publish
  const { form, progress, update } = words.publish
  if (state.stage !== 'failed') return <Running cancel={cancel} state={state} />
  return (
    <div className={styles['failed']}>
      <Problem>
        {state.message}
        {state.kind === 'conflict' && ` ${form.replaceWith}`}
      </Problem>
      {state.unforeseen !== undefined && <ErrorDetails error={state.unforeseen} />}
      {retry !== null && state.kind !== 'files' && (
        <Button aria-label={update.tryAgain(siteName)} look="secondary" onClick={retry}>
          {form.tryAgain}
        </Button>
      )}
      <Button look="ghost" onClick={dismiss}>
        {progress.close}
      </Button>
    </div>
  )
}

function Running({ state, cancel }: { state: RunningState; cancel: () => void }) {
  const { step, text } = progressOf(state)
  const name = words.parts.ticks[step]
  const isWaiting = state.waiting !== null || state.isCancelling
  return (
    <div className={styles['running']}>
      <Ticks isSmall ticks={publishTicks(step)} />
      <span className={styles['note']}>{isWaiting ? noticeOf(state) : text}</span>
      <span aria-live="polite" className="visually-hidden">
        {name}
      </span>
      <IconButton
        aria-disabled={state.isCancelling || undefined}
        icon={X}
        label={words.publish.update.cancel(state.siteName)}
        onClick={cancel}
      />
    </div>
  )
}
