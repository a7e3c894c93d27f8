import { SiteProgress } from '#web/publish/site-progress.tsx'
import type { SitePublish } from '#web/publish/use-publishes.ts'
import { SiteTile } from '#web/site/site-tile.tsx'
import { words } from '#web/words/words.ts'
import styles from './site-row.module.css'

/** A site that is published for the first time, until the list has it. */
export function NewSiteRow({ publish }: { publish: SitePublish }) {
  const { siteName } = publish
  return (
    <li className={styles['row']} data-publishing>
      <SiteTile name={siteName} />
      <div className={styles['names']}>
        <strong className={styles['name']} dir="auto">
          {siteName}
        </strong>
        <span className={styles['soft']}>{words.sites.isNew}</span>
      </div>
      <div className={styles['progress']}>
        <SiteProgress publish={publish} />
      </div>
    </li>
  )
}
