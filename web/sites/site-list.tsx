import { useCallback, useDeferredValue, useState } from 'react'
import type { Site } from '#api/contract/client.ts'
import type { SitePublish } from '#web/publish/use-publishes.ts'
import { LazyDialog, lazyModule } from '#web/shell/routing/lazy-part.tsx'
import { useArrived } from '#web/shell/use-arrived.ts'
import { newestFirst } from '#web/site/site-facts.ts'
import { words } from '#web/words/words.ts'
import { DeleteDialog } from './delete-dialog.tsx'
import { matchesSearch } from './matches-search.ts'
import { NewSiteRow } from './new-site-row.tsx'
import { SearchField } from './search-field.tsx'
import styles from './site-list.module.css'
import type { RowAction } from './site-menu.tsx'
import { SiteRow } from './site-row.tsx'

const updateDialog = lazyModule(() => import('#web/publish/update-dialog.tsx'))

/** Fewer are seen at once. */
const searchFrom = 8
/** More rows than a window shows; the rest is drawn when the page is there. */
const firstRows = 30
/** From here on, rows outside the window are not laid out. */
const manyFrom = 100

interface SiteListProps {
  readonly sites: readonly Site[]
  readonly publishes: readonly SitePublish[]
}

export function SiteList({ sites, publishes }: SiteListProps) {
  const [search, setSearch] = useState('')
  const [asked, setAsked] = useState<{ action: RowAction; site: Site } | null>(null)
  const ask = useCallback((action: RowAction, site: Site) => setAsked({ action, site }), [])
  const close = () => setAsked(null)
  const hasArrived = useArrived()
  const found = sites.filter((site) => matchesSearch(site, search)).toSorted(newestFirst)
  const rows = useDeferredValue(found, found.slice(0, firstRows))
  const fresh = publishes.filter(({ siteName }) => !sites.some(({ rkey }) => rkey === siteName))
  const ofSite = new Map(publishes.map((publish) => [publish.siteName, publish]))
  return (
    <>
      {(sites.length >= searchFrom || search !== '') && (
        <SearchField found={found.length} onSearch={setSearch} search={search} />
      )}
      <ul
        aria-label={words.sites.title}
        className={styles['rows']}
        data-many={rows.length >= manyFrom || undefined}
      >
        {fresh.map((publish) => (
          <NewSiteRow key={publish.siteName} publish={publish} />
        ))}
        {rows.map((site) => (
          <SiteRow
            isWhole={hasArrived}
            key={site.rkey}
            onAsk={ask}
            publish={ofSite.get(site.rkey) ?? null}
            site={site}
          />
        ))}
      </ul>
      {asked?.action === 'update' && (
        <LazyDialog of={updateDialog} props={{ onClose: close, site: asked.site.rkey }} />
      )}
      {asked?.action === 'delete' && <DeleteDialog onClose={close} site={asked.site} />}
    </>
  )
}
