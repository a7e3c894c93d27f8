import { useInfiniteQuery } from '@tanstack/react-query'
import { History } from 'lucide-react'
import { Button } from '#web/parts/controls/button.tsx'
import { Empty } from '#web/parts/empty.tsx'
import { Notice } from '#web/parts/notice.tsx'
import { Skeleton } from '#web/parts/skeleton.tsx'
import { type Version, versionsQuery } from '#web/server/queries.ts'
import { Page } from '#web/shell/routing/page.tsx'
import type { PageProps } from '#web/shell/routing/router.ts'
import { words } from '#web/words/words.ts'
import '#web/words/own-versions.ts'
import { VersionItem } from './version-item.tsx'
import styles from './versions-page.module.css'

/** `/sites/:rkey/versions`: what a site has been, and the way back. */
export default function VersionsPage({ params: { rkey = '' } }: PageProps) {
  const history = useInfiniteQuery(versionsQuery(rkey))
  const versions = history.data?.pages.flatMap((page) => page.versions)
  return (
    <Page title={`${words.versions.title} · ${rkey}`}>
      <section aria-busy={history.isPending} className={styles['history']}>
        <p className={styles['intro']}>{words.versions.intro}</p>
        {history.isPending && <Skeleton count={4} shape="row" />}
        {history.error !== null && versions === undefined && (
          <Notice
            action={
              <Button look="secondary" onClick={() => void history.refetch()}>
                {words.shell.tryAgain}
              </Button>
            }
            tone="danger"
          >
            <p>{history.error.message}</p>
          </Notice>
        )}
        {versions?.length === 0 && (
          <Empty icon={History} title={words.versions.empty.title}>
            <p>{words.versions.empty.text}</p>
            <p>{words.versions.empty.signIn}</p>
          </Empty>
        )}
        {versions !== undefined && versions.length > 0 && (
          <ol aria-label={words.versions.list} className={styles['list']}>
            {versions.map((version, at) => (
              <VersionItem
                before={versionBefore(versions.slice(at + 1))}
                key={version.id}
                live={versions.find(({ state }) => state === 'live')?.id ?? null}
                rkey={rkey}
                version={version}
              />
            ))}
          </ol>
        )}
        {history.hasNextPage && (
          <Button
            isBusy={history.isFetchingNextPage}
            look="secondary"
            onClick={() => void history.fetchNextPage()}
          >
            {words.versions.showOlder}
          </Button>
        )}
      </section>
    </Page>
  )
}

/** The version that visitors saw before; previews and refused ones were never seen. */
const versionBefore = (older: readonly Version[]): string | null =>
  older.find(({ state }) => state === 'live' || state === 'replaced')?.id ?? null
