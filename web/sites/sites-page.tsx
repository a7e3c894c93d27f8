import { useQuery } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { useEffect } from 'react'
import { Button, buttonClass } from '#web/parts/controls/button.tsx'
import { Icon } from '#web/parts/icon.tsx'
import { Notice } from '#web/parts/notice.tsx'
import { Skeleton } from '#web/parts/skeleton.tsx'
import { publishSession } from '#web/publish/publish-session.ts'
import { usePublishes } from '#web/publish/use-publishes.ts'
import { instance } from '#web/server/instance.ts'
import { sitesQuery } from '#web/server/queries.ts'
import { goTo } from '#web/shell/routing/address.ts'
import { LazyPart, lazyModule } from '#web/shell/routing/lazy-part.tsx'
import { Link } from '#web/shell/routing/link.tsx'
import { Page } from '#web/shell/routing/page.tsx'
import { words } from '#web/words/words.ts'
import { NoSites } from './no-sites.tsx'
import { SiteList } from './site-list.tsx'
import styles from './sites-page.module.css'
import { UnusedAddresses } from './unused-addresses.tsx'

const foreignSites = lazyModule(() => import('./foreign-sites.tsx'))

/** `/editor`: the account's sites, newest first. */
export default function SitesPage() {
  const { data: sites, error, isPending, refetch } = useQuery(sitesQuery)
  const publishes = usePublishes()
  useEffect(continueElsewhere, [])
  const texts = words.sites
  const isEmpty = sites?.length === 0 && publishes.length === 0
  const again = (
    <Button look="secondary" onClick={() => void refetch()}>
      {words.shell.tryAgain}
    </Button>
  )
  return (
    <Page title={texts.title}>
      <header className={styles['head']}>
        <h1>{texts.title}</h1>
        {!isEmpty && (
          <Link className={buttonClass('primary')} href="/onboarding">
            <Icon of={Plus} />
            {texts.create}
          </Link>
        )}
      </header>
      <section aria-busy={isPending} aria-label={texts.title} className={styles['list']}>
        {error !== null && (
          <Notice action={again} tone={sites === undefined ? 'danger' : 'warn'}>
            <p>{sites === undefined ? error.message : words.shell.stale}</p>
          </Notice>
        )}
        {isPending && <Skeleton count={3} shape="row" />}
        {isEmpty && <NoSites />}
        {sites !== undefined && !isEmpty && <SiteList publishes={publishes} sites={sites} />}
      </section>
      {sites !== undefined && instance.alsoServe !== undefined && (
        <LazyPart of={foreignSites} props={{ taken: sites.map(({ rkey }) => rkey) }} />
      )}
      {sites !== undefined && <UnusedAddresses sites={sites} />}
    </Page>
  )
}

/** What this tab was about to publish before a sign-in or a reload is published on the page for that. */
function continueElsewhere(): void {
  const { state, wanted } = publishSession
  if (wanted !== null && state.publish.stage === 'idle') goTo('/onboarding', { replace: true })
}
