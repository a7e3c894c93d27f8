import type { ReactNode } from 'react'
import { useId } from 'react'
import { words } from '#web/words/words.ts'
import styles from './settings-page.module.css'

interface QuestionProps {
  /** As a question of the owner. */
  readonly title: string
  /** What the answer means for a visitor. */
  readonly samples?: readonly SampleProps[]
  readonly children: ReactNode
}

/** One thing to decide, and at its side what it does to a sample address. */
export function Question({ title, samples = [], children }: QuestionProps) {
  const id = useId()
  return (
    <section aria-labelledby={id} className={styles['question']}>
      <div className={styles['answer']}>
        <h2 id={id}>{title}</h2>
        {children}
      </div>
      {samples.length > 0 && (
        <div className={styles['samples']}>
          <p className={styles['hint']}>{words.settings.sample}</p>
          {samples.map((sample) => (
            <Sample key={sample.address} {...sample} />
          ))}
        </div>
      )}
    </section>
  )
}

export interface SampleProps {
  readonly address: string
  readonly isRedirect?: boolean
  /** A file, an address or a page in words. */
  readonly result: string
  readonly note?: string
}

function Sample({ address, isRedirect = false, result, note }: SampleProps) {
  const { settings } = words
  return (
    <p className={styles['sample']}>
      <code>{address}</code>
      <span className={styles['effect']}>
        {isRedirect ? settings.redirects : settings.shows} <strong>{result}</strong> {note}
      </span>
    </p>
  )
}
