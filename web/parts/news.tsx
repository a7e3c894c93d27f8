import type { ReactNode } from 'react'
import styles from './news.module.css'

/** What has happened, and is as it should be. */
export function News({ children }: { children: ReactNode }) {
  return (
    <p className={styles['news']} role="status">
      {children}
    </p>
  )
}
