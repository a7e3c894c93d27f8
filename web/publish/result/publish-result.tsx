import { useQuery } from '@tanstack/react-query'
import { ExternalLink, Share2 } from 'lucide-react'
import { Fragment, type Ref } from 'react'
import { bestAddress } from '#site/best-address.ts'
import type { SkippedFile } from '#site/upload/upload-admission.ts'
import { buttonClass } from '#web/parts/controls/button.tsx'
import { CopyButton } from '#web/parts/controls/copy-button.tsx'
import { Icon } from '#web/parts/icon.tsx'
import { Notice } from '#web/parts/notice.tsx'
import { Qr } from '#web/parts/qr.tsx'
import type { JobResult } from '#web/publish/send/job.ts'
import { SkippedFiles } from '#web/publish/skipped-files.tsx'
import { sitesQuery } from '#web/server/queries.ts'
import { Link } from '#web/shell/routing/link.tsx'
import { SiteProblems } from '#web/sites/site-problems.tsx'
import { words } from '#web/words/words.ts'
import { FromTerminal } from './from-terminal.tsx'
import styles from './publish-result.module.css'

interface PublishResultProps {
  readonly result: JobResult
  /** What was not even sent; the server's own list comes with the result. */
  readonly leftOut: readonly SkippedFile[]
  readonly headingRef?: Ref<HTMLHeadingElement>
}

/** The moment: the address, ways to pass it on, the site itself, and what comes next. */
export default function PublishResult({ result, leftOut, headingRef }: PublishResultProps) {
  const said = words.publish.result
  const { live, siteName, skippedFiles, sizeNotice, versionProblem } = result
  const { data: sites = [] } = useQuery(sitesQuery)
  // Unknown while the version is not live; the result is shown anyway.
  const site = live ? sites.find(({ rkey }) => rkey === siteName) : undefined
  const url = site === undefined ? result.url : bestAddress(site).href
  const page = `/sites/${encodeURIComponent(siteName)}`
  return (
    <div className={styles['result']} role="status">
      <div className={styles['words']}>
        {/* Of a live site the page says it already. */}
        <h3 className={live ? 'visually-hidden' : undefined} ref={headingRef} tabIndex={-1}>
          {live ? said.live : said.stored}
        </h3>
        {!live && <p>{said.soon}</p>}
        <p>
          <a className={styles['address']} href={url} rel="noreferrer" target="_blank">
            <Host url={url} />
          </a>
        </p>
        <p className={styles['facts']}>{factsOf(result)}</p>
        <div className={styles['buttons']}>
          <CopyButton look="primary" text={url} what={said.address} />
          <a className={buttonClass('secondary')} href={url} rel="noreferrer" target="_blank">
            <Icon of={ExternalLink} />
            {said.open}
          </a>
          <a
            className={buttonClass('ghost')}
            href={`https://bsky.app/intent/compose?text=${encodeURIComponent(said.post(url))}`}
            rel="noreferrer"
            target="_blank"
          >
            <Icon of={Share2} />
            {said.share}
          </a>
        </div>
        <details className={styles['code']}>
          <summary>{said.qr}</summary>
          <Qr address={url} />
        </details>
      </div>
      {live && (
        // Without scripts and without its own origin: it is a picture of the site.
        <iframe
          className={styles['frame']}
          loading="lazy"
          sandbox=""
          src={url}
          tabIndex={-1}
          title={said.preview(siteName)}
        />
      )}
      <div className={styles['below']}>
        {versionProblem !== null && (
          <Notice tone="warn">
            {said.noHistory} {versionProblem}
          </Notice>
        )}
        {sizeNotice !== null && <Notice tone="warn">{sizeNotice}</Notice>}
        <SiteProblems isOpen problems={site?.problems ?? []} />
        <SkippedFiles files={[...leftOut, ...skippedFiles]} />
        <nav aria-label={said.next} className={styles['next']}>
          <Link href={page}>{said.manage}</Link>
          <Link href={`${page}/domains`}>{said.domain}</Link>
        </nav>
        <FromTerminal site={siteName} />
      </div>
    </div>
  )
}

/** Broken at its dots, where there is room for that. */
function Host({ url }: { readonly url: string }) {
  const [first, ...rest] = new URL(url).host.split('.')
  return (
    <>
      {first}
      {rest.map((label, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: labels have no other names.
        <Fragment key={at}>
          <wbr />.{label}
        </Fragment>
      ))}
    </>
  )
}

function factsOf({ fileCount, reusedCount }: JobResult): string {
  const said = words.publish.result
  const sent = fileCount - reusedCount
  const files = words.publish.files(fileCount)
  if (sent === 0) return `${files}, ${said.nothingSent}`
  return reusedCount === 0 ? files : `${files}, ${said.sent(sent)}`
}
