import { type ReactNode, useEffect, useRef, useState } from 'react'
import { signOut } from '#web/admin/admin-session.ts'
import { sections } from '#web/admin/sections.ts'
import { Button } from '#web/parts/controls/button.tsx'
import { instance } from '#web/server/instance.ts'
import { partsWords } from '#web/words/admin/parts.ts'
import styles from './frame.module.css'
import { Link } from './link.tsx'

const said = partsWords.frame

interface FrameProps {
  readonly path: string
  readonly username: string
  readonly children: ReactNode
}

/** What all pages have: where to go, who is signed in, and the way out. */
export function Frame({ path, username, children }: FrameProps) {
  const nav = useRef<HTMLElement>(null)
  useEffect(() => {
    // On a narrow screen the navigation scrolls sideways.
    const current = nav.current?.querySelector(`a[href="${sectionOf(path)}"]`)
    current?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [path])
  return (
    <div className={styles['frame']}>
      <a className={styles['skip']} href="#content">
        {said.skip}
      </a>
      <header className={styles['bar']}>
        <Link className={styles['brand']} href="/admin">
          {instance.name} <span className={styles['area']}>{said.title}</span>
        </Link>
        <div className={styles['who']}>
          <span className={styles['name']}>{username}</span>
          <SignOut />
        </div>
      </header>
      <nav aria-label={said.pages} className={styles['nav']} ref={nav}>
        {sections.map(({ href, name }) => (
          <Link
            aria-current={href === sectionOf(path) ? 'page' : undefined}
            className={styles['item']}
            href={href}
            key={href}
          >
            {name}
          </Link>
        ))}
      </nav>
      <main className={styles['main']} id="content" tabIndex={-1}>
        {children}
      </main>
    </div>
  )
}

function SignOut() {
  const [label, setLabel] = useState('Sign out')
  const leave = () => signOut().catch(() => setLabel('Sign out: try again'))
  return (
    <Button look="secondary" onClick={() => void leave()}>
      {label}
    </Button>
  )
}

/** The page of the navigation that this path belongs to. */
const sectionOf = (path: string): string | undefined =>
  sections.find(({ href }) => path === href || (href !== '/admin' && path.startsWith(`${href}/`)))
    ?.href
