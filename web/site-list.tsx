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
        {[...new Set([...domains, new URL(url).host])].map((address) => (
          <li key={address}>{address}</li>
        ))}
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
