import { useQuery } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { buttonClass } from '#web/parts/button.tsx'
import { Icon } from '#web/parts/icon.tsx'
import { instance } from '#web/server/instance.ts'
import { userQuery } from '#web/server/queries.ts'
import { words } from '#web/words/words.ts'
import { AccountMenu } from './account-menu.tsx'
import { Link } from './link.tsx'
import { Mark } from './mark.tsx'
import { SiteSwitcher } from './site-switcher.tsx'
import styles from './top-bar.module.css'

/** 56 px on every page: where one is, where one can go, and who is signed in. */
export function TopBar({ isOwn }: { isOwn: boolean }) {
  const { shell } = words
  return (
    <header className={styles['bar']}>
      <div className={styles['row']}>
        <Link
          aria-label={shell.home(instance.name)}
          className={styles['brand']}
          href={isOwn ? '/editor' : '/'}
        >
          <Mark />
          <span className={isOwn ? styles['nameBeside'] : undefined}>{instance.name}</span>
        </Link>
        {isOwn ? <Own /> : <Visitor />}
      </div>
    </header>
  )
}

function Own() {
  const { shell } = words
  return (
    <>
      <span aria-hidden="true" className={styles['slash']}>
        /
      </span>
      <SiteSwitcher />
      <Link
        aria-label={shell.newSite}
        className={`${buttonClass('secondary')} ${styles['new']}`}
        href="/onboarding"
      >
        <Icon of={Plus} />
        <span className={styles['newName']}>{shell.newSite}</span>
      </Link>
      <AccountMenu />
    </>
  )
}

/** On pages for everybody. Who was signed in a moment ago finds the way back. */
function Visitor() {
  const { data: user } = useQuery({ ...userQuery, enabled: false })
  if (user === undefined) return null
  return (
    <Link className={`${buttonClass('ghost')} ${styles['end']}`} href="/editor">
      {words.shell.sites}
    </Link>
  )
}
