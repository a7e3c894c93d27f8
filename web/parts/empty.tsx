import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import styles from './empty.module.css'
import { Icon } from './icon.tsx'

interface EmptyProps {
  readonly icon: LucideIcon
  readonly title: string
  readonly children?: ReactNode
  /** What to do first. */
  readonly action?: ReactNode
}

/** In the place of a list that has nothing in it. */
export function Empty({ icon, title, children, action }: EmptyProps) {
  return (
    <div className={styles['empty']}>
      <span className={styles['tile']}>
        <Icon of={icon} size={20} />
      </span>
      <h2>{title}</h2>
      {children !== undefined && <div className={styles['text']}>{children}</div>}
      {action}
    </div>
  )
}
