import type { ReactNode } from 'react'
import styles from './facts.module.css'

/** Short facts in a row, with dots between those of a line. */
export function Facts({ children }: { readonly children: ReactNode }) {
  return <p className={styles['facts']}>{children}</p>
}
