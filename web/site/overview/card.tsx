import { type ReactNode, useId } from 'react'
import { Link } from '#web/shell/routing/link.tsx'
import styles from './card.module.css'

interface CardProps {
  readonly title: string
  /** The tab that has more of it. */
  readonly more?: { readonly name: string; readonly href: string }
  readonly children: ReactNode
}

/** One thing about a site, and the way to all of it. */
export function Card({ title, more, children }: CardProps) {
  const titleId = useId()
  return (
    <section aria-labelledby={titleId} className={styles['card']}>
      <header className={styles['head']}>
        <h2 id={titleId}>{title}</h2>
        {more !== undefined && <Link href={more.href}>{more.name}</Link>}
      </header>
      {children}
    </section>
  )
}
