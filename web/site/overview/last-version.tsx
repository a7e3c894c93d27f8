import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import type { Site } from '#api/contract/client.ts'
import { formatBytes } from '#web/parts/bytes.ts'
import { CopyButton } from '#web/parts/controls/copy-button.tsx'
import { Facts } from '#web/parts/facts.tsx'
import { TimeAgo } from '#web/parts/time-ago.tsx'
import { changesQuery, type Version, versionsQuery } from '#web/server/queries.ts'
import { changedAt, pageOf } from '#web/site/site-facts.ts'
import { words } from '#web/words/words.ts'
import { Card } from './card.tsx'
import styles from './last-version.module.css'

/** What visitors get, and what is new in it. */
export function LastVersion({ site }: { site: Site }) {
  const { overview } = words.site
  const versions = useInfiniteQuery(versionsQuery(site.rkey)).data?.pages[0]?.versions ?? []
  const live = versions.findIndex(({ state }) => state === 'live')
  const version = versions[live]
  const before = versions.slice(live + 1).find(({ state }) => state === 'replaced')
  return (
    <Card
      more={{ name: overview.allVersions, href: `${pageOf(site)}/versions` }}
      title={overview.lastVersion}
    >
      {site.cid === null ? (
        <p>{overview.neverLive}</p>
      ) : (
        <Facts>
          <span>{overview.files(site.fileCount)}</span>
          <span>{formatBytes(site.bytes)}</span>
          <TimeAgo at={changedAt(site)} />
          {version !== undefined && before !== undefined && (
            <Changed before={before.id} rkey={site.rkey} version={version} />
          )}
        </Facts>
      )}
      {/* Their lines are there before they are known. */}
      <div className={styles['more']}>
        {version?.message && <p dir="auto">{version.message}</p>}
        {version?.url && <Permanent url={version.url} />}
      </div>
    </Card>
  )
}

/** Where this version stays, whatever is published next. Short: it comes late, and would be the largest text of a phone's page. */
function Permanent({ url }: { readonly url: string }) {
  return (
    <p className={styles['permanent']}>
      <a href={url} rel="noopener" target="_blank">
        {words.site.overview.permanent}
      </a>
      <CopyButton isSmall text={url} what={words.site.overview.permanentName} />
    </p>
  )
}

interface ChangedProps {
  readonly rkey: string
  readonly version: Version
  readonly before: string
}

function Changed({ rkey, version, before }: ChangedProps) {
  const { data } = useQuery(changesQuery(rkey, version.id, before))
  if (data === undefined) return null
  const { added, changed, removed } = data
  return <span>{words.site.overview.changed(added.length + changed.length + removed.length)}</span>
}
