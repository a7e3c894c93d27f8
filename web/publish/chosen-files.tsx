import { formatBytes, formatCount } from '#web/parts/bytes.ts'
import { Problem } from '#web/parts/problem.tsx'
import styles from './chosen-files.module.css'
import { archiveOf, type Collection } from './collect-files.ts'
import { SkippedFiles } from './skipped-files.tsx'

/** What is about to be published, so that a wrong folder is noticed before it is online. */
export function ChosenFiles({ collection }: { collection: Collection }) {
  const { files, folder, hasIndex, leftOut, problem, totalBytes } = collection
  const archive = archiveOf(files)
  return (
    <div className={styles['chosen']}>
      {archive === null ? (
        <p role="status">
          {folder !== '' && <strong>{folder}</strong>} {formatCount(files.length, 'file')},{' '}
          {formatBytes(totalBytes)}
        </p>
      ) : (
        <p role="status">
          <strong>{archive.path}</strong> {formatBytes(totalBytes)}. The files in it are published.
        </p>
      )}
      {problem !== null && <Problem>{problem}</Problem>}
      {problem === null && archive === null && !hasIndex && (
        <p className={styles['note']}>
          There is no <code>index.html</code> at the top of this folder, so the site will have no
          start page.
        </p>
      )}
      <SkippedFiles files={leftOut} />
    </div>
  )
}
