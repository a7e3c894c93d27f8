import type { Site } from '#api/contract/client.ts'
import { buttonClass } from '#web/parts/button.tsx'
import { formatBytes, formatCount, formatTime } from '#web/parts/bytes.ts'
import { Confirm } from '#web/parts/confirm.tsx'
import { Problem } from '#web/parts/problem.tsx'
import { deleteSite } from '#web/server/api.ts'
import { useAction } from '#web/server/use-action.ts'
import { Link } from '#web/shell/link.tsx'
import styles from './site-list.module.css'
import { SiteProblems } from './site-problems.tsx'

interface SiteItemProps {
  readonly site: Site
  /** Tells so. */
  readonly onDeleted: (site: Site, what: string) => void
}

/** A site: where it is, what it holds, how it is served, and taking it away. */
export function SiteItem({ site, onDeleted }: SiteItemProps) {
  const { displayName, domains, fileCount, bytes, problems, rkey, url } = site
  const changedAt = site.publishedAt ?? site.updatedAt
  const { isBusy, problem, run } = useAction()
  const remove = () =>
    run(async () => {
      await deleteSite(rkey)
      onDeleted(site, `${rkey} is deleted.`)
    })
  return (
    <li className={styles['site']}>
      <h2 className={styles['name']}>
        <Link href={`/sites/${encodeURIComponent(rkey)}`}>{displayName || rkey}</Link>
      </h2>
      <ul className={styles['addresses']}>
        {domains.map((row) => (
          <li key={row.domain}>
            {row.type === 'sitehost' || row.verified ? (
              <a href={addressOf(row.domain, url)}>{row.domain}</a>
            ) : (
              `${row.domain} (not verified yet)`
            )}
          </li>
        ))}
        <li>{new URL(url).host}</li>
      </ul>
      <p className={styles['facts']}>
        {formatCount(fileCount, 'file')}, {formatBytes(bytes)}
        {changedAt !== null && (
          <>
            , published <time dateTime={changedAt}>{formatTime(changedAt)}</time>
          </>
        )}
      </p>
      <SiteProblems problems={problems} />
      <div className={styles['buttons']}>
        <Link
          aria-label={`Settings of ${rkey}`}
          className={buttonClass('secondary')}
          href={`/sites/${encodeURIComponent(rkey)}/settings`}
        >
          Settings
        </Link>
        <Confirm
          isBusy={isBusy}
          label={isBusy ? 'Deleting…' : 'Delete'}
          onConfirm={() => void remove()}
          title={`Delete ${rkey}?`}
          yes="Delete"
        >
          <p>
            The site goes offline immediately and is deleted from your account, with its settings.
            You can’t undo this.
          </p>
          {domains.length > 0 && (
            <p>
              Its addresses stay yours and show nothing until you choose another site:{' '}
              {domains.map(({ domain }) => domain).join(', ')}.
            </p>
          )}
        </Confirm>
      </div>
      {problem !== null && <Problem>{problem}</Problem>}
    </li>
  )
}

/** The site by another name, on the port and scheme of its own address. */
function addressOf(domain: string, url: string): string {
  const address = new URL(url)
  address.hostname = domain
  return address.href
}
