import { CircleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { Icon } from '#web/parts/icon.tsx'
import styles from './problem.module.css'

/** What went wrong with one control or action, said aloud by screen readers as soon as it appears. */
export function Problem({ id, children }: { id?: string; children: ReactNode }) {
  return (
    <p className={styles['problem']} id={id} role="alert">
      <Icon of={CircleAlert} />
      <span>{children}</span>
    </p>
  )
}
