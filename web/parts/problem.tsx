import type { ReactNode } from 'react'
import styles from './problem.module.css'

/** What went wrong, said aloud by screen readers as soon as it appears. */
export function Problem({ id, children }: { id?: string; children: ReactNode }) {
  return (
    <p className={styles['problem']} id={id} role="alert">
      {children}
    </p>
  )
}
