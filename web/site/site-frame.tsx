import { useQuery } from '@tanstack/react-query'
import { ExternalLink } from 'lucide-react'
import type { ReactNode } from 'react'
import type { Site } from '#api/contract/client.ts'
import { buttonClass } from '#web/parts/button.tsx'
import { CopyButton } from '#web/parts/copy-button.tsx'
import { Icon } from '#web/parts/icon.tsx'
import { Notice } from '#web/parts/notice.tsx'
import { Skeleton } from '#web/parts/skeleton.tsx'
import { Status } from '#web/parts/status.tsx'
import { Tabs } from '#web/parts/tabs.tsx'
import { siteQuery } from '#web/server/queries.ts'
import { Link } from '#web/shell/link.tsx'
import { Page } from '#web/shell/page.tsx'
import type { PageProps } from '#web/shell/router.ts'
import { words } from '#web/words/words.ts'
import { bestAddress } from './best-address.ts'
import styles from './site-frame.module.css'

/** Head and tabs of a site's pages. They stay while one goes from tab to tab. */
export default function SiteFrame({ params, children }: PageProps & { children: ReactNode }) {
  const { rkey = '' } = params
  const { data: site, isPending, error } = useQuery(siteQuery(rkey))
  if (site === null) return <Missing rkey={rkey} />
  return (
    <div className={styles['site']}>
      <header className={styles['head']}>
        <h1>{site?.displayName || rkey}</h1>
        {site !== undefined && <Facts site={site} />}
        {isPending && <Skeleton />}
        {site === undefined && error !== null && (
          <Notice tone="danger">
            <p>{error.message}</p>
          </Notice>
        )}
      </header>
      <Tabs label={words.site.tabs.label} tabs={tabsOf(rkey)} />
      {site !== undefined && children}
    </div>
  )
}

function Facts({ site }: { site: Site }) {
  const address = bestAddress(site)
  return (
    <div className={styles['facts']}>
      <StateOf site={site} />
      <a className={styles['address']} href={address.href} rel="noopener" target="_blank">
        {address.host}
      </a>
      <CopyButton isSmall text={address.href} what={words.site.address} />
      <a
        className={`${buttonClass('secondary')} ${styles['open']}`}
        href={address.href}
        rel="noopener"
        target="_blank"
      >
        <Icon of={ExternalLink} />
        {words.site.open}
      </a>
    </div>
  )
}

function StateOf({ site: { cid, problems } }: { site: Site }) {
  if (cid === null) return <Status state="waiting">{words.site.notLive}</Status>
  if (problems.length > 0) return <Status state="warn">{words.site.problems}</Status>
  return <Status state="live">{words.site.live}</Status>
}

function tabsOf(rkey: string) {
  const { tabs } = words.site
  const root = `/sites/${encodeURIComponent(rkey)}`
  return [
    { href: root, name: tabs.overview },
    { href: `${root}/versions`, name: tabs.versions },
    { href: `${root}/domains`, name: tabs.domains },
    { href: `${root}/settings`, name: tabs.settings },
  ]
}

function Missing({ rkey }: { rkey: string }) {
  const { missing } = words.site
  return (
    <Page title={missing.title(rkey)}>
      <h1>{missing.title(rkey)}</h1>
      <p>{missing.text}</p>
      <p>
        <Link href="/editor">{missing.toSites}</Link>
      </p>
    </Page>
  )
}
