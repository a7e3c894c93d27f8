import type { ReactNode } from 'react'
import styles from './status.module.css'

export type State = 'live' | 'waiting' | 'warn' | 'broken' | 'resting'

/** A dot and a word: green is live, amber waits or warns, red is broken, grey rests. */
export function Status({ state, children }: { state: State; children: ReactNode }) {
  return (
    <span className={styles['status']} data-state={state}>
      {children}
    </span>
  )
}
