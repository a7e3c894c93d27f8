import type { Site } from './api.ts'
import { formatBytes, formatCount, formatTime } from './format.ts'
import styles from './site-list.module.css'

export function SiteList({ sites }: { sites: readonly Site[] }) {
  if (sites.length === 0) return <p className={styles['none']}>No site yet. Publish one below.</p>
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
        {domains.map(({ domain, verified }) => (
          <li key={domain}>
            {verified === false ? (
              `${domain} (not verified yet)`
            ) : (
              <a href={addressOf(domain, url)}>{domain}</a>
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
      {problems.length > 0 && (
        <details className={styles['problems']}>
          <summary>{formatCount(problems.length, 'problem')}</summary>
          <ul>
            {problems.map((problem) => (
              <li key={problem}>{problem}</li>
            ))}
          </ul>
        </details>
      )}
    </li>
  )
}

/** The site by another name, on the port and scheme of its own address. */
function addressOf(domain: string, url: string): string {
  const address = new URL(url)
  address.hostname = domain
  return address.href
}
