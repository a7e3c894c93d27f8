import styles from './status-word.module.css'

interface StatusWordProps {
  /** What the dot's colour says again: fine, waits or warns, broken, at rest. */
  readonly tone: 'good' | 'warn' | 'bad' | 'info' | 'rest'
  readonly children: string
}

/** A state: a dot and its word. */
export const StatusWord = ({ tone, children }: StatusWordProps) => (
  <span className={styles['status']}>
    <span aria-hidden="true" className={styles[tone]} />
    {children}
  </span>
)
