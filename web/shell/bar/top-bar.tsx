import { buttonClass } from '#web/parts/controls/button.tsx'
import { instance } from '#web/server/instance.ts'
import { readKept, userKey } from '#web/server/kept-answers.ts'
import { Link } from '#web/shell/routing/link.tsx'
import { useRouter } from '#web/shell/routing/router.ts'
import { words } from '#web/words/words.ts'
import { Mark } from './mark.tsx'
import styles from './top-bar.module.css'

/** 56 px on every page: where one is, where one can go, and who is signed in. */
export function TopBar({ isOwn }: { isOwn: boolean }) {
  const { shell } = words
  const { own } = useRouter()
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
        {isOwn ? <own.Bar /> : <Visitor />}
      </div>
    </header>
  )
}

/** On pages for everybody. Who was signed in a moment ago finds the way back. */
function Visitor() {
  if (readKept(userKey) === undefined) return null
  return (
    <Link className={`${buttonClass('ghost')} ${styles['end']}`} href="/editor">
      {words.shell.sites}
    </Link>
  )
}
