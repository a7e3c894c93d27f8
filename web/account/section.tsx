import { type ReactNode, useId } from 'react'
import styles from './account-page.module.css'

interface SectionProps {
  readonly title: string
  readonly isDangerous?: boolean
  readonly children: ReactNode
}

/** A part of the account's page. */
export function Section({ title, isDangerous = false, children }: SectionProps) {
  const id = useId()
  return (
    <section
      aria-labelledby={id}
      className={styles['section']}
      data-dangerous={isDangerous || undefined}
    >
      <h2 id={id}>{title}</h2>
      {children}
    </section>
  )
}
