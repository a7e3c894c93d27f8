import type { Site } from '#api/contract/client.ts'
import { NoSites } from './no-sites.tsx'
import { SiteItem } from './site-item.tsx'
import styles from './site-list.module.css'

interface SiteListProps {
  readonly sites: readonly Site[]
  /** Tells what has changed. */
  readonly onChanged: (what: string) => void
  readonly onDeleted: (site: Site, what: string) => void
}

export function SiteList({ sites, onChanged, onDeleted }: SiteListProps) {
  if (sites.length === 0) {
    return <NoSites onChecked={() => onChanged('Your account was checked for sites.')} />
  }
  return (
    <ul className={styles['list']}>
      {sites.map((site) => (
        <SiteItem key={site.rkey} onDeleted={onDeleted} site={site} />
      ))}
    </ul>
  )
}
