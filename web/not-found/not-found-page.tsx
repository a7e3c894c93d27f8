import { Compass } from 'lucide-react'
import { buttonClass } from '#web/parts/controls/button.tsx'
import { Icon } from '#web/parts/icon.tsx'
import { Link } from '#web/shell/routing/link.tsx'
import { Page } from '#web/shell/routing/page.tsx'
import { words } from '#web/words/words.ts'
import styles from './not-found-page.module.css'

/** Any other address of the application. */
export default function NotFoundPage() {
  const { notFound } = words
  return (
    <Page title={notFound.title}>
      <div className={styles['missing']}>
        <Icon of={Compass} size={20} />
        <h1>{notFound.title}</h1>
        <p>{notFound.text}</p>
        <Link className={buttonClass('primary')} href="/editor">
          {notFound.toSites}
        </Link>
      </div>
    </Page>
  )
}
