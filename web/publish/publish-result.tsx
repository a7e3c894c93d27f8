import type { Ref } from 'react'
import { formatCount } from '#web/parts/bytes.ts'
import { listSites } from '#web/server/api.ts'
import { useLoaded } from '#web/server/use-loaded.ts'
import { SiteProblems } from '#web/sites/site-problems.tsx'
import type { SkippedFile } from './collect-files.ts'
import type { JobResult } from './job.ts'
import styles from './publish-result.module.css'
import { SkippedFiles } from './skipped-files.tsx'

interface PublishResultProps {
  readonly result: JobResult
  /** What was not even sent; the server's own list comes with the result. */
  readonly leftOut: readonly SkippedFile[]
  readonly headingRef?: Ref<HTMLHeadingElement>
}

export function PublishResult({ result, leftOut, headingRef }: PublishResultProps) {
  const { fileCount, live, reusedCount, siteName, skippedFiles, url } = result
  const [sites] = useLoaded(listSites)
  // Unknown while the version is not live; the result is shown anyway.
  const problems =
    live && sites.state === 'loaded'
      ? sites.value.filter(({ rkey }) => rkey === siteName).flatMap((site) => site.problems)
      : []
  return (
    <div className={styles['result']} role="status">
      <h3 ref={headingRef} tabIndex={-1}>
        {live ? 'Your site is live' : 'Your site is stored'}
      </h3>
      {!live && <p>It is stored and will be live in a moment:</p>}
      <p>
        <a className={styles['link']} href={url}>
          {url}
        </a>
      </p>
      <p className={styles['facts']}>
        {formatCount(fileCount, 'file')}
        {reusedCount === fileCount && ', nothing to upload'}
        {reusedCount > 0 && reusedCount < fileCount && `, ${fileCount - reusedCount} uploaded`}
      </p>
      <SiteProblems isOpen problems={problems} />
      <SkippedFiles files={[...leftOut, ...skippedFiles]} />
    </div>
  )
}
