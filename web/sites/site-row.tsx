import { memo } from 'react'
import type { Site } from '#api/contract/client.ts'
import { bestAddress } from '#site/best-address.ts'
import { TimeAgo } from '#web/parts/time-ago.tsx'
import { SiteProgress } from '#web/publish/site-progress.tsx'
import type { SitePublish } from '#web/publish/use-publishes.ts'
import { useIsDropTarget } from '#web/shell/drop-target.ts'
import { Link } from '#web/shell/routing/link.tsx'
import { changedAt, nameOf, pageOf } from '#web/site/site-facts.ts'
import { SiteState } from '#web/site/site-state.tsx'
import { SiteTile } from '#web/site/site-tile.tsx'
import { type RowAction, SiteMenu } from './site-menu.tsx'
import styles from './site-row.module.css'

interface SiteRowProps {
  readonly site: Site
  /** Null: nothing is being published to it. */
  readonly publish: SitePublish | null
  /** False: only its name and address, which have the row's height. */
  readonly isWhole: boolean
  readonly onAsk: (action: RowAction, site: Site) => void
}

/** A site in the list. What is dropped on it is published to it. */
export const SiteRow = memo(function SiteRow(props: SiteRowProps) {
  const { site, publish, isWhole, onAsk } = props
  const isOver = useIsDropTarget(site.rkey)
  const address = bestAddress(site)
  return (
    <li
      className={styles['row']}
      data-drop-site={site.rkey}
      data-over={isOver || undefined}
      data-publishing={publish !== null || undefined}
    >
      <SiteTile name={nameOf(site)} />
      <div className={styles['names']}>
        <Link className={styles['name']} dir="auto" href={pageOf(site)}>
          {nameOf(site)}
        </Link>
        <a className={styles['address']} href={address.href} rel="noopener" target="_blank">
          {address.host}
        </a>
      </div>
      {isWhole && <RowFacts onAsk={onAsk} publish={publish} site={site} />}
    </li>
  )
})

function RowFacts({ site, publish, onAsk }: Omit<SiteRowProps, 'isWhole'>) {
  return (
    <>
      {publish === null ? (
        <div className={styles['facts']}>
          <SiteState site={site} />
          <span className={styles['soft']}>
            <TimeAgo at={changedAt(site)} />
          </span>
        </div>
      ) : (
        <div className={styles['progress']}>
          <SiteProgress publish={publish} />
        </div>
      )}
      <div className={styles['menu']}>
        <SiteMenu onAsk={onAsk} site={site} />
      </div>
    </>
  )
}
