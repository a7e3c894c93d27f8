import { formatBytes } from '#web/parts/bytes.ts'
import { Button } from '#web/parts/controls/button.tsx'
import { publishTicks, Ticks } from '#web/parts/ticks.tsx'
import { describeJob } from '#web/publish/send/job.ts'
import { words } from '#web/words/words.ts'
import styles from './publish-progress.module.css'
import type { RunningState } from './publish-state.ts'

interface PublishProgressProps {
  readonly state: RunningState
  readonly onCancel: () => void
}

/** Read, send, live: a tick each and a bar for the one that runs. A screen reader hears every quarter, not every file. */
export function PublishProgress({ state, onCancel }: PublishProgressProps) {
  const { progress } = words.publish
  const { step, text, fraction } = progressOf(state)
  const name = words.parts.ticks[step]
  return (
    <div className={styles['progress']}>
      <Ticks ticks={publishTicks(step)} />
      <progress aria-label={name} {...(fraction !== null && { value: fraction })} />
      <p className={styles['line']}>{text}</p>
      <p aria-live="polite" className="visually-hidden">
        {name}
        {fraction !== null && `: ${progress.percent(Math.floor(fraction * 4) * 25)}`}
      </p>
      <p className={styles['detail']} role="status">
        {noticeOf(state)}
      </p>
      <Button isBusy={state.isCancelling} look="secondary" onClick={onCancel}>
        {progress.cancel}
      </Button>
    </div>
  )
}

export interface Progress {
  readonly step: 'read' | 'send' | 'live'
  readonly text: string
  /** Null is a bar that only says that something is going on. */
  readonly fraction: number | null
}

export function progressOf(state: RunningState): Progress {
  const { progress } = words.publish
  switch (state.stage) {
    case 'reading': {
      const { read, total } = state
      const fraction = share(read.bytes + read.files, total.bytes + total.files)
      return { step: 'read', text: progress.read(read.files, total.files), fraction }
    }
    case 'sending': {
      const { bytes, bytesTotal } = state.sent
      const text = progress.send(formatBytes(bytes), formatBytes(bytesTotal))
      return { step: 'send', text, fraction: share(bytes, bytesTotal) }
    }
    case 'going-live': {
      const { text, fraction } =
        state.update === null
          ? { text: progress.toStart, fraction: null }
          : describeJob(state.update)
      return { step: 'live', text, fraction }
    }
  }
}

const share = (done: number, total: number): number => (total === 0 ? 1 : done / total)

export function noticeOf(state: RunningState): string {
  const { progress } = words.publish
  if (state.isCancelling) return progress.cancelling
  if (state.waiting === 'offline') return progress.offline
  if (state.waiting === 'service') return progress.service
  const isWaiting = state.waiting === 'account'
  if (state.stage !== 'going-live') return isWaiting ? progress.server : progress.stay
  return state.notice ?? (isWaiting ? progress.server : progress.leave)
}
