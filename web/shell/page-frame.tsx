import { type ReactNode, useEffect } from 'react'
import { instance } from '#web/server/instance.ts'
import styles from './page-frame.module.css'

interface PageFrameProps {
  readonly title: string
  /** The right end of the header. */
  readonly corner?: ReactNode
  readonly children: ReactNode
}

export function PageFrame({ title, corner, children }: PageFrameProps) {
  useEffect(() => {
    document.title = `${title} · ${instance.name}`
  }, [title])
  return (
    <div className={styles['frame']}>
      <header className={styles['header']}>
        <a className={styles['brand']} href="/">
          <Mark />
          {instance.name}
        </a>
        {corner}
      </header>
      <main className={styles['main']}>{children}</main>
      <Footer />
    </div>
  )
}

function Mark() {
  if (instance.logoPath !== null) {
    return <img alt="" className={styles['logo']} src={instance.logoPath} />
  }
  return (
    <svg aria-hidden="true" className={styles['mark']} viewBox="0 0 32 32">
      <rect height="32" rx="8" width="32" />
      <path d="M7 15.5 16 8l9 7.5V24a1 1 0 0 1-1 1h-5v-6h-6v6H8a1 1 0 0 1-1-1z" />
    </svg>
  )
}

function Footer() {
  const { contact, privacyUrl, termsUrl } = instance
  return (
    <footer className={styles['footer']}>
      {contact !== null && <a href={contact}>Contact</a>}
      {termsUrl !== null && <a href={termsUrl}>Terms</a>}
      {privacyUrl !== null && <a href={privacyUrl}>Privacy</a>}
      <a href="/api/docs">API</a>
    </footer>
  )
}
