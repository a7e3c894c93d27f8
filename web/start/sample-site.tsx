import { BadgeCheck } from 'lucide-react'
import { Icon } from '#web/parts/icon.tsx'
import { words } from '#web/words/words.ts'
import styles from './sample-site.module.css'

/** A browser with a small site in it, and below it the record that the site came from. */
export function SampleSite() {
  const { sample } = words.start
  return (
    <figure aria-label={sample.label} className={styles['sample']}>
      <div className={styles['browser']}>
        <div className={styles['bar']}>
          <span className={styles['dots']} />
          <span className={styles['address']}>{sample.address}</span>
        </div>
        <div className={styles['page']}>
          <p className={styles['title']}>{sample.title}</p>
          <p>{sample.text}</p>
          <ul>
            {sample.posts.map((post) => (
              <li key={post}>{post}</li>
            ))}
          </ul>
        </div>
      </div>
      <div className={styles['record']}>
        <pre>{record}</pre>
        <p className={styles['verified']}>
          <Icon of={BadgeCheck} /> {sample.verified}
        </p>
      </div>
    </figure>
  )
}

const record = `at://did:plc:alice…/place.sitehost.fs/notes
{
  "site": "notes",
  "root": { "entries": [ "index.html", … ] },
  "fileCount": 4
}`
