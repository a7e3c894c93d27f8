import { formatCount } from '#web/parts/bytes.ts'
import type { SkippedFile } from './collect-files.ts'
import styles from './skipped-files.module.css'

/** What does not become part of the site, and why; nothing when there is none. */
export function SkippedFiles({ files }: { files: readonly SkippedFile[] }) {
  if (files.length === 0) return null
  return (
    <details className={styles['skipped']}>
      <summary>{formatCount(files.length, 'item')} left out</summary>
      <ul>
        {files.map(({ name, reason }) => (
          <li key={name}>
            <code>{name}</code>: {reason}
          </li>
        ))}
      </ul>
    </details>
  )
}
