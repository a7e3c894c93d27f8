import { type ReactNode, useEffect, useRef } from 'react'
import { instance } from '#web/server/instance.ts'
import styles from './page.module.css'

interface PageProps {
  readonly title: string
  /** At the end of the title's line. */
  readonly corner?: ReactNode
  /** What was done here last; said aloud. */
  readonly told?: string
  readonly children: ReactNode
}

/** A page below the frame: its title takes the focus when another page was here before. */
export function Page({ title, corner, told = '', children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    document.title = `${title} · Administration · ${instance.name}`
  }, [title])
  useEffect(() => {
    if (document.activeElement !== document.body) heading.current?.focus()
  }, [])
  return (
    <div className={styles['page']}>
      <div className={styles['head']}>
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {corner}
      </div>
      <p className={styles['told']} role="status">
        {told}
      </p>
      {children}
    </div>
  )
}
