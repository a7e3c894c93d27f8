import { useQuery } from '@tanstack/react-query'
import { siteQuery } from '#web/server/queries.ts'
import { Page } from '#web/shell/routing/page.tsx'
import type { PageProps } from '#web/shell/routing/router.ts'
import '#web/site/domains/address-modules.ts'
import { ExplainSection } from '#web/site/explain/explain-section.tsx'
import { nameOf } from '#web/site/site-facts.ts'
import { Addresses } from './addresses.tsx'
import { LastVersion } from './last-version.tsx'
import styles from './overview-page.module.css'
import { Proof } from './proof.tsx'
import { StateNotice } from './state-notice.tsx'
import { TrafficNotice } from './traffic-notice.tsx'

/** `/sites/:rkey`: what is live, what is wrong with it, and where it comes from. */
export default function OverviewPage({ params: { rkey = '' } }: PageProps) {
  const { data: site } = useQuery(siteQuery(rkey))
  if (!site) return null
  return (
    <Page title={nameOf(site)}>
      <StateNotice site={site} />
      <TrafficNotice site={site} />
      <div className={styles['columns']}>
        <div className={styles['column']}>
          <LastVersion site={site} />
          <Addresses site={site} />
          <div className={styles['explain']}>
            <ExplainSection rkey={rkey} />
          </div>
        </div>
        <div className={styles['column']}>
          <Proof site={site} />
        </div>
      </div>
    </Page>
  )
}
