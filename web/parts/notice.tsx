import { CircleAlert, CircleCheck, Info, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { Icon } from './icon.tsx'
import styles from './notice.module.css'

export type Tone = 'good' | 'info' | 'warn' | 'danger'

interface NoticeProps {
  readonly tone: Tone
  readonly title?: string
  /** What to do about it: a button or a link. */
  readonly action?: ReactNode
  readonly children?: ReactNode
}

const icons = { good: CircleCheck, info: Info, warn: TriangleAlert, danger: CircleAlert }

/** Something to know, in its place in the page. Danger is said aloud at once, the rest when there is time. */
export function Notice({ tone, title, action, children }: NoticeProps) {
  return (
    <div
      className={styles['notice']}
      data-tone={tone}
      role={tone === 'danger' ? 'alert' : 'status'}
    >
      <Icon of={icons[tone]} size={20} />
      <div className={styles['text']}>
        {title !== undefined && <strong>{title}</strong>}
        {children}
      </div>
      {action}
    </div>
  )
}
