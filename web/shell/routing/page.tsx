import { type ReactNode, useEffect } from 'react'
import { instance } from '#web/server/instance.ts'
import styles from './page.module.css'

interface PageProps {
  /** Of the browser's tab; the page has its own heading. */
  readonly title: string
  readonly children: ReactNode
}

/** The content of a page, with the title that the browser shows for it. */
export function Page({ title, children }: PageProps) {
  useEffect(() => {
    document.title = `${title} · ${instance.name}`
  }, [title])
  return <div className={styles['page']}>{children}</div>
}
