import type { Site } from '#api/contract/client.ts'
import { formatBytes, formatCount, formatTime } from './format.ts'
import { NoSites } from './no-sites.tsx'
import styles from './site-list.module.css'
import { SiteProblems } from './site-problems.tsx'

interface SiteListProps {
  readonly sites: readonly Site[]
  readonly onLookedAgain: () => void
}

export function SiteList({ sites, onLookedAgain }: SiteListProps) {
  if (sites.length === 0) return <NoSites onLookedAgain={onLookedAgain} />
  return (
    <ul className={styles['list']}>
      {sites.map((site) => (
        <SiteItem key={site.rkey} site={site} />
      ))}
    </ul>
  )
}

function SiteItem({ site }: { site: Site }) {
  const { displayName, domains, fileCount, bytes, problems, rkey, url } = site
  const changedAt = site.publishedAt ?? site.updatedAt
  return (
    <li className={styles['site']}>
      <h2 className={styles['name']}>
        <a href={url}>{displayName || rkey}</a>
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
    </li>
  )
}

/** The site by another name, on the port and scheme of its own address. */
function addressOf(domain: string, url: string): string {
  const address = new URL(url)
  address.hostname = domain
  return address.href
}
