import type { ReactNode } from 'react'
import styles from './styleguide-page.module.css'

/** Some parts that belong together. */
export function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className={styles['section']}>
      <h2>{title}</h2>
      {children}
    </section>
  )
}

interface SpecimenProps {
  /** The part, and its state. */
  readonly name: string
  readonly isWide?: boolean
  readonly children: ReactNode
}

export function Specimen({ name, isWide = false, children }: SpecimenProps) {
  return (
    <figure className={styles['specimen']} data-wide={isWide || undefined}>
      <figcaption>{name}</figcaption>
      <div className={styles['stage']}>{children}</div>
    </figure>
  )
}

/** Longer than anybody expects, and without a place to break. */
export const longText = 'an-extraordinarily-long-name-that-nobody-would-type-but-somebody-will'

/** Right to left, whatever the page is. */
export const arabic = 'موقعي الشخصي'
