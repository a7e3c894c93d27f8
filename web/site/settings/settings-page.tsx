import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { bestAddress } from '#site/best-address.ts'
import { Button } from '#web/parts/controls/button.tsx'
import { Notice } from '#web/parts/notice.tsx'
import { Skeleton } from '#web/parts/skeleton.tsx'
import { filesQuery, settingsQuery, siteQuery } from '#web/server/queries.ts'
import { LazyPart, lazyModule } from '#web/shell/routing/lazy-part.tsx'
import { Page } from '#web/shell/routing/page.tsx'
import type { PageProps } from '#web/shell/routing/router.ts'
import { words } from '#web/words/words.ts'
import '#web/words/own-settings.ts'
import { SettingsForm } from './settings-form.tsx'
import styles from './settings-page.module.css'

// Last on the page, and hardly ever used: these are loaded after the rest.
const fromCi = lazyModule(() => import('./from-ci.tsx'))
const dangerZone = lazyModule(() => import('./danger-zone.tsx'))

/** `/sites/:rkey/settings`: how a site is served, and deleting it. */
export default function SettingsPage({ params: { rkey = '' } }: PageProps) {
  const { data: site } = useQuery(siteQuery(rkey))
  const { data: stored, error, refetch } = useQuery(settingsQuery(rkey))
  const { data: live } = useQuery(filesQuery(rkey, 'live'))
  const { settings, shell } = words
  if (!site) return null
  return (
    <Page title={`${settings.title} · ${site.displayName || rkey}`}>
      <p className={styles['intro']}>{settings.intro}</p>
      {stored === undefined && error === null && <Loading />}
      {stored === undefined && error !== null && (
        <Notice
          action={
            <Button look="secondary" onClick={() => void refetch()}>
              {shell.tryAgain}
            </Button>
          }
          title={settings.loadFailed}
          tone="danger"
        >
          <p>{error.message}</p>
        </Notice>
      )}
      {stored !== undefined && (
        <SettingsForm
          stored={stored}
          rkey={rkey}
          site={{
            host: shortHost(bestAddress(site).host),
            paths: live?.files.map(({ path }) => path) ?? null,
          }}
        />
      )}
      <LazyPart of={fromCi} props={{ rkey }} />
      <LazyPart of={dangerZone} props={{ site }} />
    </Page>
  )
}

/** The answer comes from the account's own server, which may be away. */
function Loading() {
  const [isSlow, setSlow] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setSlow(true), slowMs)
    return () => clearTimeout(timer)
  }, [])
  return (
    <>
      {isSlow && <p role="status">{words.settings.slow}</p>}
      <Skeleton count={3} shape="card" />
    </>
  )
}

const slowMs = 3000

const sampleHostCharsMax = 32

/** The permanent address says nothing to people, and takes three lines. */
const shortHost = (host: string): string => (host.length > sampleHostCharsMax ? '…' : host)
