import { useQuery } from '@tanstack/react-query'
import { formatBytes, formatCount } from '#web/parts/bytes.ts'
import { TimeAgo } from '#web/parts/time-ago.tsx'
import { siteQuery } from '#web/server/queries.ts'
import { Page } from '#web/shell/page.tsx'
import type { PageProps } from '#web/shell/router.ts'
import { SiteProblems } from '#web/sites/site-problems.tsx'

/** `/sites/:rkey`: what is live, and what is wrong with it. */
export default function OverviewPage({ params: { rkey = '' } }: PageProps) {
  const { data: site } = useQuery(siteQuery(rkey))
  if (!site) return null
  return (
    <Page title={site.displayName || rkey}>
      <p>
        {formatCount(site.fileCount, 'file')}, {formatBytes(site.bytes)},{' '}
        <TimeAgo at={site.publishedAt ?? site.updatedAt} />
      </p>
      <SiteProblems isOpen problems={site.problems} />
    </Page>
  )
}
