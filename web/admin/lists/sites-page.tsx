import type { AnswerTo } from '#api/contract/client.ts'
import type { Column } from '#web/admin/parts/data-table.tsx'
import type { Choices } from '#web/admin/parts/filter-bar.tsx'
import { ListPage, type ListQuery } from '#web/admin/parts/list-page.tsx'
import { AccountLink, SiteLink } from '#web/admin/parts/places.tsx'
import { When } from '#web/admin/parts/when.tsx'
import { formatBytes } from '#web/parts/bytes.ts'
import { call } from '#web/server/api.ts'
import { listsWords } from '#web/words/admin/lists.ts'
import { SiteState } from './site-state.tsx'

const said = listsWords.sitesPage

export type AdminSite = AnswerTo<'GET /api/admin/sites'>['sites'][number]

/** `/admin/sites`: all sites, newest first. */
export const SitesPage = () => (
  <ListPage
    columns={siteColumns}
    empty={said.empty}
    filters={filters}
    keyOf={({ uri }) => uri}
    list={listSites}
    searchIn={said.searchIn}
    title={said.title}
  />
)

async function listSites(query: ListQuery) {
  // An empty search asks for pages too, which the route has only with one of its filters.
  const { sites, cursor = null } = await call('GET /api/admin/sites', {
    query: { search: '', ...query },
  })
  return { rows: sites, cursor }
}

export const siteColumns: readonly Column<AdminSite>[] = [
  { head: 'Site', isWide: true, cell: ({ did, rkey }) => <SiteLink did={did} rkey={rkey} /> },
  {
    head: 'Account',
    isMinor: true,
    cell: ({ did, handle }) => <AccountLink did={did} handle={handle} />,
  },
  { head: 'State', cell: (site) => <SiteState site={site} /> },
  { head: 'Files', isMinor: true, isNumber: true, cell: ({ fileCount }) => fileCount },
  { head: 'Size', isMinor: true, isNumber: true, cell: ({ bytes }) => formatBytes(bytes) },
  {
    head: 'Published',
    isMinor: true,
    cell: ({ publishedAt, updatedAt }) => <When at={publishedAt ?? updatedAt} />,
  },
]

const filters: readonly Choices[] = [
  {
    name: 'state',
    label: 'State',
    choices: [
      ['live', 'Live'],
      ['refused', 'Refused'],
      ['hidden', 'Hidden'],
      ['offline', 'Offline'],
      ['parked', 'Given up'],
    ],
  },
]
