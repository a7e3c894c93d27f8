import { formatBytes } from '#web/parts/bytes.ts'
import { describeJob } from './job.ts'
import styles from './publish-progress.module.css'
import type { Publishing } from './use-publish.ts'

interface PublishProgressProps {
  readonly publishing: Extract<Publishing, { stage: 'sending' | 'storing' }>
}

/** Two steps with a bar each; a screen reader hears every quarter, not every file. */
export function PublishProgress({ publishing }: PublishProgressProps) {
  const isSending = publishing.stage === 'sending'
  const sending = sendingLine(publishing)
  const storing = storingLine(publishing)
  const current = isSending ? sending : storing
  return (
    <div className={styles['steps']}>
      <Step line={sending} name="Sending to Sitehost" />
      <Step line={storing} name="Storing in your repository" />
      <p aria-live="polite" className="visually-hidden">
        {isSending ? 'Sending to Sitehost' : 'Storing in your repository'}
        {current.fraction !== null && `: ${Math.floor(current.fraction * 4) * 25} percent`}
      </p>
      <p className={styles['detail']} role="status">
        {publishing.isCancelling ? 'Cancelling…' : noticeOf(publishing)}
      </p>
    </div>
  )
}

function noticeOf(publishing: PublishProgressProps['publishing']): string {
  if (publishing.stage === 'sending') return 'Stay on this page until everything is sent.'
  return publishing.notice ?? 'You can leave this page. Publishing continues.'
}

/** `fraction` null is a bar that only says that something is going on. */
interface Line {
  readonly text: string
  readonly fraction: number | null
  readonly detail?: string
}

function Step({ name, line: { detail, fraction, text } }: { name: string; line: Line }) {
  return (
    <div className={styles['step']}>
      <p className={styles['line']}>
        <strong>{name}</strong> <span className={styles['amount']}>{text}</span>
      </p>
      <progress aria-label={name} {...(fraction !== null && { value: fraction })} />
      {detail !== undefined && <p className={styles['detail']}>{detail}</p>}
    </div>
  )
}

function sendingLine(publishing: PublishProgressProps['publishing']): Line {
  if (publishing.stage === 'storing') return { text: 'Done', fraction: 1 }
  const { sentBytes, totalBytes } = publishing
  if (totalBytes === 0) return { text: 'Starting', fraction: 0 }
  const text = `${formatBytes(sentBytes)} of ${formatBytes(totalBytes)}`
  return { text, fraction: sentBytes / totalBytes }
}

function storingLine(publishing: PublishProgressProps['publishing']): Line {
  if (publishing.stage === 'sending') return { text: '', fraction: 0 }
  const { update } = publishing
  if (update === null) return { text: 'Starting', fraction: null }
  // The line below is always there, so that nothing jumps between two files.
  return { ...describeJob(update), detail: update.progress.currentFile ?? '\u00a0' }
}
