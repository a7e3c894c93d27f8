import type { SkippedFile } from '#site/upload/upload-admission.ts'
import { words } from '#web/words/words.ts'
import styles from './skipped-files.module.css'

/** What does not become part of the site, and why; nothing when there is none. */
export function SkippedFiles({ files }: { files: readonly SkippedFile[] }) {
  if (files.length === 0) return null
  return (
    <details className={styles['skipped']}>
      <summary>{words.publish.chosen.leftOut(files.length)}</summary>
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
