import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useEffect } from 'react'
import { Button, buttonClass } from '#web/parts/controls/button.tsx'
import { Notice } from '#web/parts/notice.tsx'
import { Tabs } from '#web/parts/tabs.tsx'
import { continueUpdate } from '#web/publish/update-site.ts'
import { siteQuery } from '#web/server/queries.ts'
import { useAddress } from '#web/shell/routing/address.ts'
import { Link } from '#web/shell/routing/link.tsx'
import { Page } from '#web/shell/routing/page.tsx'
import type { PageProps } from '#web/shell/routing/router.ts'
import { words } from '#web/words/words.ts'
import styles from './site-frame.module.css'
import { SiteHead } from './site-head.tsx'

/** Head and tabs of a site's pages. They stay while one goes from tab to tab. */
export function SiteFrame({ params, children }: PageProps & { children: ReactNode }) {
  const { rkey = '' } = params
  const { pathname } = useAddress()
  const { data: site, error, refetch } = useQuery(siteQuery(rkey))
  useEffect(() => void continueUpdate(rkey), [rkey])
  if (site === null) return <Missing rkey={rkey} />
  const again = (
    <Button look="secondary" onClick={() => void refetch()}>
      {words.shell.tryAgain}
    </Button>
  )
  return (
    <div className={styles['site']}>
      <SiteHead isSecondary={isWorkingTab(pathname)} rkey={rkey} site={site} />
      {error !== null && (
        <Notice action={again} tone={site === undefined ? 'danger' : 'warn'}>
          <p>{site === undefined ? error.message : words.shell.stale}</p>
        </Notice>
      )}
      <Tabs label={words.site.tabs.label} tabs={tabsOf(rkey)} />
      {site !== undefined && children}
    </div>
  )
}

/** Where something is saved, published or claimed: a view has one primary button. */
const isWorkingTab = (pathname: string): boolean =>
  /^\/sites\/[^/]+\/(?:domains|files|settings)(?:\/|$)/.test(pathname)

function tabsOf(rkey: string) {
  const { tabs } = words.site
  const root = `/sites/${encodeURIComponent(rkey)}`
  return [
    { href: root, name: tabs.overview },
    { href: `${root}/files`, name: tabs.files },
    { href: `${root}/versions`, name: tabs.versions },
    { href: `${root}/domains`, name: tabs.domains },
    { href: `${root}/visits`, name: tabs.visits },
    { href: `${root}/settings`, name: tabs.settings },
  ]
}

function Missing({ rkey }: { rkey: string }) {
  const { missing } = words.site
  return (
    <Page title={missing.title(rkey)}>
      <h1>{missing.title(rkey)}</h1>
      <p className={styles['missing']}>{missing.text}</p>
      <p>
        <Link className={buttonClass('primary')} href="/editor">
          {missing.toSites}
        </Link>
      </p>
    </Page>
  )
}
