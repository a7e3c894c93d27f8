import { useEffect, useRef } from 'react'
import type { Loaded } from '#web/server/use-loaded.ts'
import styles from './told.module.css'

interface ToldProps {
  /** Empty until something was done. */
  readonly text: string
  /** What the page shows, which the deed may change. */
  readonly loaded: Loaded<unknown>
}

/** What was done, said aloud. Takes the focus where the button that was pressed went with what it changed. */
export function Told({ text, loaded }: ToldProps) {
  const status = useRef<HTMLParagraphElement>(null)
  useEffect(() => {
    if (text !== '' && loaded.state === 'loaded' && document.activeElement === document.body) {
      status.current?.focus()
    }
  }, [loaded, text])
  return (
    <p className={styles['told']} ref={status} role="status" tabIndex={-1}>
      {text}
    </p>
  )
}
